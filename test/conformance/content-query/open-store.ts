import { createLocalBus, createRevisions } from '#bus'
import { type Content, createContent } from '#content'
import type { Database } from '#db'
import { createHttpServer } from '#http'
import { renderError } from '#http-text'
import { createIds, type Ids, random } from '#kernel'
import { type DatabaseKind, openTestDatabase, silentLog, temporaryDirectory } from '#test-kit'
import { COMPONENTS, DEFAULT_LOCALE, LOCALES, TYPES } from './definitions.ts'

/** The content store on an empty database, with the types of this suite. */
export async function openStore(
  kind: DatabaseKind,
  seen: (database: Database) => Database = (database) => database,
) {
  const { database, clock } = await openTestDatabase(kind)
  await database.main.writer
    .insertInto('content_locales')
    .values(
      LOCALES.map((code) => ({
        code,
        name: code,
        is_default: code === DEFAULT_LOCALE ? 1 : 0,
        fallback: null,
        created_at: 0,
        updated_at: 0,
      })),
    )
    .execute()
  const bus = createLocalBus({ log: silentLog })
  const ids = createIds({ clock, random })
  const content = await createContent({
    db: seen(database),
    clock,
    ids,
    random,
    log: silentLog,
    bus,
    revisions: createRevisions({ bus, log: silentLog }),
    appendEvents: async () => {},
    uploads: { directory: temporaryDirectory(), maxFileBytes: 1, maxFiles: 1, cacheBytes: 0 },
    origin: () => 'http://localhost',
    starter: 'none',
    settings: () => ({ publicReadDefault: true, revisions: 10 }),
  })
  await defineTypes(content, ids)
  return { database, content }
}

async function defineTypes({ adminRoutes }: Content, ids: Pick<Ids, 'uuid'>) {
  const app = await createHttpServer({
    log: silentLog,
    ids,
    mounts: [{ prefix: '/', renderError, plugin: adminRoutes }],
  })
  const answer = await app.inject({
    method: 'POST',
    url: '/content-types/batch',
    payload: { contentTypes: TYPES, components: COMPONENTS },
  })
  if (answer.statusCode !== 201) throw new Error(answer.body)
}
