import { after } from 'node:test'
import type { Kysely } from 'kysely'
import { createLocalBus, createRevisions } from '#bus'
import { createOutbox } from '#events'
import { createIds, random } from '#kernel'
import { type DatabaseKind, openTestDatabase, silentLog, type TestDatabase } from '#test-kit'
import { createEntries } from '../../../src/content/entries/entries.ts'
import { insertLocale } from '../../../src/content/locales/store.ts'
import type { ContentModel, ContentType } from '../../../src/content/model.ts'
import { createModelHolder } from '../../../src/content/model-holder.ts'
import { runFirstStart } from '../../../src/content/starter/first-start.ts'
import type { ContentTables } from '../../../src/content/tables.ts'
import { createModelChanges } from '../../../src/content/types/changes.ts'
import { createCleanup } from '../../../src/content/types/cleanup.ts'
import { createDefinitions } from '../../../src/content/types/definitions.ts'
import type { BatchBody } from '../../../src/content/types/schemas.ts'

export { WRITER } from './writer.ts'

const PUBLIC_URL = 'https://api.example'

/** The store of entries without a server around it, on a database of its own. */
export async function openContent(kind: DatabaseKind, batch: BatchBody) {
  return attachContent(await openTestDatabase(kind), batch)
}

/** The same over a database that is open already, with the types it has and those of the batch. */
export async function attachContent(opened: TestDatabase, batch: BatchBody = {}) {
  const { database: db, clock } = opened
  const bus = createLocalBus({ log: silentLog })
  const revisions = createRevisions({ bus, log: silentLog })
  const ids = createIds({ clock, random })
  const holder = await createModelHolder({ db, revisions })
  const changes = createModelChanges({ db, clock, revisions, follow: holder.follow })
  const { model } = holder
  const outbox = createOutbox({ ids, clock })
  const telling = { appendEvents: outbox.appendAll, publicUrl: PUBLIC_URL }
  const definitions = createDefinitions({
    ...{ db, clock, ids, changes, model, log: silentLog },
    ...telling,
    cleanup: createCleanup({ db, clock, model, ...telling }),
    touch: () => {},
    publicReadDefault: () => true,
  })
  await runFirstStart({ changes, definitions, model, starter: 'none', writeDemo: async () => {} })
  if (batch.contentTypes) await definitions.createBatch(batch)
  const touched: number[] = []
  const entries = createEntries({
    ...{ db, clock, ids, random, model },
    appendEvents: outbox.appendAll,
    touch: (tx, nos) => tx.afterCommit(() => void touched.push(...nos)),
    publicUrl: PUBLIC_URL,
  })
  after(() => {
    holder.close()
    revisions.close()
    bus.close()
  })
  const reader: Kysely<ContentTables> = db.main.reader
  const parts = {
    db,
    bus,
    clock,
    entries,
    model,
    definitions,
    changes,
    revisions,
    ids,
    reader,
    opened,
    telling,
  }
  return { ...parts, typeOf, addLocale, events, rows, touched }

  function typeOf(name: string): ContentType {
    const type = currentModel().findType(name)
    if (!type) throw new Error(`no type ${name}`)
    return type
  }

  function currentModel(): ContentModel {
    return model()
  }

  async function addLocale(code: string) {
    await changes.change(({ trx, nowMs }) =>
      insertLocale(trx, { code, name: code, isDefault: false, fallback: null }, nowMs),
    )
  }

  /** Everything told so far, or since the last call when `after` is what it gave. */
  async function events(after = 0) {
    const stored = await db.main.reader
      .selectFrom('kernel_events')
      .select(['ord', 'type', 'payload', 'live'])
      .where('ord', '>', after)
      .orderBy('ord')
      .execute()
    return stored.map((row) => ({
      ord: Number(row['ord']),
      type: String(row['type']),
      live: row['live'] === 1,
      payload: JSON.parse(String(row['payload'])),
    }))
  }

  /** Copies of a type as stored. */
  function rows(name: string) {
    return db.main.reader
      .selectFrom(typeOf(name).table)
      .select(['copy_no', 'id', 'locale', 'live', 'work', 'doc', 'revision_id', 'updated_at'])
      .orderBy('copy_no')
      .execute()
  }
}

export type TestContent = Awaited<ReturnType<typeof openContent>>
