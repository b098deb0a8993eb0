import { describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { bulkAndChanges } from './bulk.ts'
import { changesOfOthers } from './changes.ts'
import { client } from './client.ts'
import { clientRuntimes } from './client-runtimes.ts'
import { imports } from './import.ts'
import { lists } from './lists.ts'
import { description } from './openapi.ts'
import { records } from './records.ts'
import { revisions } from './revisions.ts'
import { schedule } from './schedule.ts'
import { search } from './search.ts'
import { restServer } from './support.ts'
import { versions } from './versions.ts'

const SETTINGS = {
  ENTREPOT_VERSIONS_V1_DEPRECATED: '2026-01-01',
  ENTREPOT_VERSIONS_V1_SUNSET: '2030-06-30',
}

/** All of the versioned API on one server. */
export function restSuites(kind: DatabaseKind): void {
  describe(`rest (${kind})`, () => {
    const rest = restServer(kind, SETTINGS)
    // Follows the feed of changes from its beginning.
    bulkAndChanges(rest)
    changesOfOthers(rest)
    lists(rest)
    records(rest)
    search(rest)
    imports(rest)
    revisions(rest)
    schedule(rest)
    versions(rest)
    client(rest)
    if (kind === 'sqlite') clientRuntimes(rest)
    // Sends whatever the description permits, so nothing can be expected of the server afterwards.
    description(rest)
  })
}
