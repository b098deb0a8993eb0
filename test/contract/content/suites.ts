import { describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { askedBefore } from './asked-before.ts'
import { cachedResponses } from './cached-responses.ts'
import { definitions } from './definitions.ts'
import { entries } from './entries.ts'
import { everyDialect } from './every-dialect.ts'
import { listedAlike } from './listed-alike.ts'
import { mediaFiles } from './media.ts'
import { objectNames } from './object-names.ts'
import { contentServer } from './support.ts'

/** Everything of the content store that one server can show. */
export function contentSuites(kind: DatabaseKind): void {
  describe(`content (${kind})`, () => {
    const content = contentServer(kind, {
      // So that little is enough to exceed it; nothing else here uploads as much.
      ENTREPOT_MEDIA_MAX_FILE_BYTES: '100000',
      ENTREPOT_TRUSTED_PROXIES: '127.0.0.1',
    })
    // Reads the feed of changes from its beginning.
    entries(content)
    definitions(kind)(content)
    mediaFiles(content)
    listedAlike(content)
    everyDialect(content)
    askedBefore(content)
    cachedResponses(content)
    objectNames(content)
  })
}
