/** A change of the master key: what the previous one sealed is sealed with the current one. */
import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { Log } from '#kernel'
import type { SecretBox } from '#secrets'
import { historyContext } from './history-store.ts'
import { contextOf } from './store.ts'
import type { GatewayTables } from './tables.ts'

type Db = Kysely<GatewayTables>

interface Deps {
  readonly db: Database
  readonly box: SecretBox
  readonly log: Log
  readonly hasPreviousKey: boolean
}

const BATCH = 200

/** To be called until it succeeds; from then on it does nothing. */
export function createReseal({ db, box, log, hasPreviousKey }: Deps): () => Promise<void> {
  const writer: Db = db.main.writer
  let isDone = !hasPreviousKey
  return async () => {
    if (isDone) return
    const objects = await resealObjects(writer, box)
    const writes = await resealHistory(writer, box)
    isDone = true
    if (objects + writes === 0) return
    log.info({ objects, writes }, 'gateway objects are sealed with the current master key')
  }
}

/** Nothing is changed that somebody else has written since it was read. */
async function resealObjects(writer: Db, box: SecretBox): Promise<number> {
  const rows = await writer
    .selectFrom('gateway_objects')
    .select(['kind', 'id', 'value'])
    .where('sealed', '=', 1)
    .execute()
  const old = rows.filter(({ value }) => box.needsReseal(value))
  for (const { kind, id, value } of old) {
    await writer
      .updateTable('gateway_objects')
      .set({ value: resealed(box, value, contextOf(kind, id)) })
      .where('kind', '=', kind)
      .where('id', '=', id)
      .where('value', '=', value)
      .execute()
  }
  return old.length
}

/** From the newest write backwards; what is written meanwhile has the current key. */
async function resealHistory(writer: Db, box: SecretBox): Promise<number> {
  let count = 0
  let below = Number.MAX_SAFE_INTEGER
  for (;;) {
    const revisions = await writer
      .selectFrom('gateway_history')
      .select('revision')
      .distinct()
      .where('sealed', '=', 1)
      .where('revision', '<', below)
      .orderBy('revision', 'desc')
      .limit(BATCH)
      .execute()
    for (const { revision } of revisions) count += await resealWrite(writer, box, revision)
    below = revisions.at(-1)?.revision ?? below
    if (revisions.length < BATCH) return count
  }
}

async function resealWrite(writer: Db, box: SecretBox, revision: number): Promise<number> {
  const rows = await writer
    .selectFrom('gateway_history')
    .select(['position', 'kind', 'id', 'before', 'after'])
    .where('revision', '=', revision)
    .where('sealed', '=', 1)
    .execute()
  let isOld = false
  for (const { position, kind, id, before, after } of rows) {
    if (![before, after].some((text) => text !== null && box.needsReseal(text))) continue
    isOld = true
    const renew = (text: string | null) =>
      text === null ? null : resealed(box, text, historyContext(revision, kind, id))
    await writer
      .updateTable('gateway_history')
      .set({ before: renew(before), after: renew(after) })
      .where('revision', '=', revision)
      .where('position', '=', position)
      .execute()
  }
  return isOld ? 1 : 0
}

function resealed(box: SecretBox, text: string, context: string): string {
  return box.seal(box.open(text, context), context)
}
