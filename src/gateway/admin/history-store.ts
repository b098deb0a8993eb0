/** The SQL of what was changed, by whom, and what it was before (contract §3.4). */
import type { Kysely } from 'kysely'
import type { SecretBox } from '#secrets'
import type { Kind } from '../protocol.ts'
import type { Stored } from './store.ts'
import type { GatewayTables } from './tables.ts'

/** One object in one write; null: there was, or is, none. */
export interface HistoryEntry {
  readonly revision: number
  readonly atMs: number
  readonly by: string
  readonly kind: Kind
  readonly id: string
  readonly before: Stored | null
  readonly after: Stored | null
}

export type NewEntry = Pick<HistoryEntry, 'kind' | 'id' | 'before' | 'after'> & {
  readonly isSecret: boolean
}

type Db = Kysely<GatewayTables>
type Row = GatewayTables['gateway_history']

const BATCH = 200

export function createHistoryStore(box: SecretBox) {
  return { append, prune, count, findPage, findSince }

  async function append(
    db: Db,
    write: Pick<HistoryEntry, 'revision' | 'atMs' | 'by'>,
    entries: readonly NewEntry[],
  ): Promise<void> {
    const rows = entries.map((entry, position): Row => {
      const { kind, id, before, after, isSecret } = entry
      const seal = (object: Stored | null) => {
        if (!object) return null
        const text = JSON.stringify(object)
        return isSecret ? box.seal(text, historyContext(write.revision, kind, id)) : text
      }
      return {
        ...{ revision: write.revision, position, kind, id, sealed: isSecret ? 1 : 0 },
        ...{ written_at: write.atMs, written_by: write.by },
        ...{ before: seal(before), after: seal(after) },
      }
    })
    for (let at = 0; at < rows.length; at += BATCH) {
      await db
        .insertInto('gateway_history')
        .values(rows.slice(at, at + BATCH))
        .execute()
    }
  }

  async function prune(db: Db, upTo: number): Promise<void> {
    await db.deleteFrom('gateway_history').where('revision', '<=', upTo).execute()
  }

  async function count(db: Db): Promise<number> {
    const { n } = await db
      .selectFrom('gateway_history')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
    return Number(n)
  }

  /** Newest first. */
  async function findPage(db: Db, offset: number, limit: number): Promise<HistoryEntry[]> {
    const rows = await newestFirst(db).offset(offset).limit(limit).execute()
    return rows.map(toEntry)
  }

  /** Everything written after that revision, newest first. */
  async function findSince(db: Db, revision: number): Promise<HistoryEntry[]> {
    const rows = await newestFirst(db).where('revision', '>', revision).execute()
    return rows.map(toEntry)
  }

  function toEntry(row: Row): HistoryEntry {
    const { revision, kind, id } = row
    const open = (text: string | null): Stored | null => {
      if (text === null) return null
      const plain = row.sealed === 1 ? box.open(text, historyContext(revision, kind, id)) : text
      return JSON.parse(plain)
    }
    const { written_at: atMs, written_by: by } = row
    return { revision, atMs, by, kind, id, before: open(row.before), after: open(row.after) }
  }
}

export type HistoryStore = ReturnType<typeof createHistoryStore>

function newestFirst(db: Db) {
  return db
    .selectFrom('gateway_history')
    .selectAll()
    .orderBy('revision', 'desc')
    .orderBy('position', 'desc')
}

export function historyContext(revision: number, kind: Kind, id: string): string {
  return `gateway/history/${revision}/${kind}/${id}`
}
