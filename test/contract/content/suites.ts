import { describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { askedAtRandom } from './asked-at-random.ts'
import { askedBefore } from './asked-before.ts'
import { blocks } from './blocks.ts'
import { cachedResponses } from './cached-responses.ts'
import { countedTables } from './counted-tables.ts'
import { definitions } from './definitions.ts'
import { dialectLimits } from './dialect-limits.ts'
import { entries } from './entries.ts'
import { entryImport } from './entry-import.ts'
import { everyDialect } from './every-dialect.ts'
import { largeAnswers, MOST_RELATED } from './large-answers.ts'
import { listedAlike } from './listed-alike.ts'
import { mediaFiles } from './media.ts'
import { mediaLibrary } from './media-library.ts'
import { objectNames } from './object-names.ts'
import { permissions } from './permissions.ts'
import { pictures } from './pictures.ts'
import { removedTypes } from './removed-types.ts'
import { schemaImport } from './schema-import.ts'
import { sharedWaiting } from './shared-waiting.ts'
import { contentServer } from './support.ts'
import { times } from './times.ts'
import { zoneDefinitions } from './zone-definitions.ts'
import { zoneJourneys } from './zone-journeys.ts'
import { zones } from './zones.ts'

/** Everything of the content store that one server can show. */
export function contentSuites(kind: DatabaseKind): void {
  describe(`content (${kind})`, () => {
    const content = contentServer(kind, {
      // So that little is enough to exceed it; nothing else here uploads as much.
      ENTREPOT_MEDIA_MAX_FILE_BYTES: '100000',
      ENTREPOT_MEDIA_MAX_PIXELS: '2000000',
      ENTREPOT_TRUSTED_PROXIES: '127.0.0.1',
      ENTREPOT_ANSWERS_MAX_RELATED: String(MOST_RELATED),
    })
    // Reads the feed of changes from its beginning.
    entries(content)
    definitions(kind)(content)
    schemaImport(content)
    entryImport(content)
    mediaFiles(content)
    mediaLibrary(content)
    pictures(content)
    listedAlike(content)
    everyDialect(content)
    times(content)
    permissions(content)
    removedTypes(content)
    dialectLimits(content)
    askedAtRandom(content)
    askedBefore(content)
    cachedResponses(content)
    objectNames(content)
    zones(content)
    zoneJourneys(content)
    blocks(content)
    zoneDefinitions(content)
    largeAnswers(content)
    sharedWaiting(content)
    if (kind === 'postgres') countedTables(content)
  })
}
