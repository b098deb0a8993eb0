import { type Kysely, sql } from 'kysely'
import type { Database, Tx } from '../../db/database.ts'
import { carryOutIn } from '../../db/store.ts'
import { type LeaseColumns, leaseIsFree } from '../../jobs/lease-columns.ts'

interface IdempotencyTables {
  kernel_idempotency: LeaseColumns & {
    /** Only its digest: a path may be longer than an index entry. */
    scope: string
    key: string
    request_hash: string
    /** Sealed; null while the first request is running. */
    answer: string | null
    /** The same for all tries of a request: their ids are made from it. */
    seed: string | null
    /** Sealed; what a try has done, written with its effect, until there is an answer. */
    receipt: string | null
    expires_at: number
  }
  /** Of a request that does many things, each by itself: what became of those that are done. */
  kernel_idempotency_items: {
    scope: string
    key: string
    number: number
    outcome: string
    expires_at: number
  }
}

/** What earlier tries of a request have left. */
export interface Taken {
  readonly seed: string
  readonly receipt: string | null
  /** There were earlier tries. */
  readonly isAgain: boolean
}

export interface KeyId {
  readonly scope: string
  readonly key: string
}

const KEPT_MS = 24 * 3_600_000
const PURGE_BATCH = 500

/** All SQL of idempotency keys. Times are those of the database, so nodes cannot disagree. */
export function createIdempotencyStore({ main, dialect }: Database) {
  const reader: Kysely<IdempotencyTables> = main.reader
  const writer: Kysely<IdempotencyTables> = main.writer
  return { take, renew, keep, keepItem, findItems, finish, abandon, release, find, purgeBatch }

  /**
   * Takes the key when it is free: unknown, expired, or left with the same request by a process that died
   * or did not know whether it was done. That request may have been carried out, so its seed and receipt stay.
   */
  async function take(
    id: KeyId,
    requestHash: string,
    holder: string,
    leaseMs: number,
    /** Nobody can guess it; what is kept begins with the time. */
    seed: string,
  ): Promise<Taken | undefined> {
    const fresh = {
      request_hash: requestHash,
      answer: null,
      lease_owner: holder,
      lease_until: inMs(leaseMs),
      expires_at: inMs(KEPT_MS),
    }
    const left = leaseIsFree(dialect, 'kernel_idempotency', holder)
    const isExpired = sql<boolean>`kernel_idempotency.expires_at <= ${dialect.nowMs()}`
    const kept = {
      seed: sql<string>`
        case when ${isExpired} then excluded.seed
        else coalesce(kernel_idempotency.seed, excluded.seed) end`,
      receipt: sql<
        string | null
      >`case when ${isExpired} then null else kernel_idempotency.receipt end`,
    }
    const taken = await writer
      .insertInto('kernel_idempotency')
      .values({ ...id, ...fresh, seed: sql`cast(${dialect.nowMs()} as text) || ' ' || ${seed}` })
      .onConflict((conflict) =>
        conflict
          .columns(['scope', 'key'])
          .doUpdateSet({ ...fresh, ...kept })
          .where(({ eb, and, or }) =>
            or([
              eb('kernel_idempotency.expires_at', '<=', dialect.nowMs()),
              and([
                eb('kernel_idempotency.answer', 'is', null),
                eb('kernel_idempotency.request_hash', '=', requestHash),
                left,
              ]),
            ]),
          ),
      )
      .returning(['seed', 'receipt'])
      .executeTakeFirst()
    if (!taken) return undefined
    const isAgain = taken.seed !== null && !taken.seed.endsWith(` ${seed}`)
    return { seed: taken.seed ?? seed, receipt: taken.receipt, isAgain }
  }

  async function renew(id: KeyId, holder: string, leaseMs: number): Promise<boolean> {
    const renewed = await own(id, holder)
      .set({ lease_until: inMs(leaseMs) })
      .executeTakeFirst()
    return renewed.numUpdatedRows === 1n
  }

  /** In the transaction of the effect; false when somebody else holds the key by now. */
  function keep(tx: Tx, id: KeyId, holder: string, receipt: string): Promise<boolean> {
    const query = own(id, holder, tx.as<IdempotencyTables>()).set({ receipt })
    return carryOutIn(tx, [{ query, mustChange: true }])
  }

  /**
   * In the transaction of the item's effect; false when somebody else holds the key by now. Of two tries that do the
   * same item at the same time one breaks the primary key, and its transaction with it.
   */
  function keepItem(tx: Tx, id: KeyId, holder: string, number: number, outcome: string) {
    const query = tx
      .as<IdempotencyTables>()
      .insertInto('kernel_idempotency_items')
      .columns(['scope', 'key', 'number', 'outcome', 'expires_at'])
      .expression((from) =>
        from
          .selectFrom('kernel_idempotency')
          .select([
            ...(['scope', 'key'] as const),
            sql<number>`cast(${number} as integer)`.as('number'),
            sql<string>`cast(${outcome} as text)`.as('outcome'),
            'expires_at',
          ])
          .where('scope', '=', id.scope)
          .where('key', '=', id.key)
          .where('lease_owner', '=', holder),
      )
    return carryOutIn(tx, [{ query, mustChange: true }])
  }

  async function findItems({ scope, key }: KeyId): Promise<ReadonlyMap<number, string>> {
    const rows = await reader
      .selectFrom('kernel_idempotency_items')
      .select(['number', 'outcome'])
      .where('scope', '=', scope)
      .where('key', '=', key)
      .execute()
    return new Map(rows.map(({ number, outcome }) => [number, outcome]))
  }

  /** False, and nothing is done, when somebody else holds the key by now. */
  async function finish(id: KeyId, holder: string, answer: string): Promise<boolean> {
    const { numUpdatedRows } = await own(id, holder)
      .set({
        answer,
        receipt: null,
        expires_at: inMs(KEPT_MS),
        lease_owner: null,
        lease_until: null,
      })
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }

  async function abandon({ scope, key }: KeyId, holder: string): Promise<void> {
    await writer
      .deleteFrom('kernel_idempotency')
      .where('scope', '=', scope)
      .where('key', '=', key)
      .where('lease_owner', '=', holder)
      .execute()
  }

  /** Free for the same request, with the same seed and its receipt. */
  async function release(id: KeyId, holder: string): Promise<void> {
    await own(id, holder).set({ lease_owner: null, lease_until: null }).execute()
  }

  function own(id: KeyId, holder: string, db = writer) {
    return db
      .updateTable('kernel_idempotency')
      .where('scope', '=', id.scope)
      .where('key', '=', id.key)
      .where('lease_owner', '=', holder)
  }

  async function find(id: KeyId) {
    return reader
      .selectFrom('kernel_idempotency')
      .select(['request_hash', 'answer'])
      .where('scope', '=', id.scope)
      .where('key', '=', id.key)
      .executeTakeFirst()
  }

  /** Deletes some of what is older than a day; `more` when there may be others. */
  async function purgeBatch(): Promise<{ deleted: number; more: boolean }> {
    const { numDeletedRows } = await writer
      .deleteFrom('kernel_idempotency')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('scope', 'key'),
          'in',
          selectFrom('kernel_idempotency')
            .select(['scope', 'key'])
            .where('expires_at', '<=', dialect.nowMs())
            .limit(PURGE_BATCH)
            .$asTuple('scope', 'key'),
        ),
      )
      .executeTakeFirst()
    const deleted = Number(numDeletedRows)
    const items = await purgeItems()
    return { deleted, more: deleted === PURGE_BATCH || items === PURGE_BATCH }
  }

  /** Answers are kept whole, so nobody asks for these once there is one: they go when their time has come. */
  async function purgeItems(): Promise<number> {
    const { numDeletedRows } = await writer
      .deleteFrom('kernel_idempotency_items')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('scope', 'key', 'number'),
          'in',
          selectFrom('kernel_idempotency_items')
            .select(['scope', 'key', 'number'])
            .where('expires_at', '<=', dialect.nowMs())
            .limit(PURGE_BATCH)
            .$asTuple('scope', 'key', 'number'),
        ),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  }

  function inMs(ms: number) {
    return sql<number>`${dialect.nowMs()} + ${ms}`
  }
}
