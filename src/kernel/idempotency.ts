import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database } from './db/database.ts'
import { startHeartbeat } from './jobs/heartbeat.ts'
import { type LeaseColumns, leaseIsFree, newHolder } from './jobs/lease-columns.ts'
import type { Random } from './random.ts'

interface IdempotencyTables {
  kernel_idempotency: LeaseColumns & {
    /** Only its digest: a path may be longer than an index entry. */
    scope: string
    key: string
    request_hash: string
    /** Sealed; null while the first request is running. */
    answer: string | null
    expires_at: number
  }
}

interface Deps {
  readonly db: Database
  /** The name of this process, new with every start and the same in all of its threads. */
  readonly owner: string
  readonly random: Random
  /** Answers may hold secrets (webhooks contract §4). */
  readonly secrets: { seal(text: string): string; open(sealed: string): string }
}

export interface Attempt {
  /** Whose key it is and for what: user and path. */
  readonly scope: string
  readonly key: string
  /** Equal for requests that ask for the same. */
  readonly requestHash: string
}

/** The caller does the work, then ends it in one of the two ways. */
export interface FirstAttempt {
  readonly state: 'new'
  /** Keeps the answer. Must be awaited before the answer is sent. */
  finish(answer: string): Promise<void>
  /** Lets the next request with this key do the work. */
  abandon(): Promise<void>
}

export type Begun =
  | FirstAttempt
  | { readonly state: 'replay'; readonly answer: string }
  | { readonly state: 'mismatch' }
  | { readonly state: 'in_progress' }

const KEPT_MS = 24 * 3_600_000
const LEASE_MS = 60_000
const PURGE_BATCH = 500

/**
 * One answer for each key (REST conventions §3). Of any number of requests at once, on any nodes, one
 * does the work. A killed process blocks its keys for a minute at most, and not at all on a database
 * of one process; whether its work had been committed is not known here.
 */
export function createIdempotency({ db, owner, random, secrets }: Deps) {
  const { dialect } = db
  const reader: Kysely<IdempotencyTables> = db.main.reader
  const writer: Kysely<IdempotencyTables> = db.main.writer
  return { begin, purge }

  async function begin(attempt: Attempt): Promise<Begun> {
    const id = { scope: digest(attempt.scope), key: attempt.key }
    for (;;) {
      const holder = newHolder(owner, random)
      const sinceMs = performance.now()
      if (await take(id, attempt.requestHash, holder)) return first(id, holder, sinceMs)
      const found = await find(id)
      // Given up between the two statements: it is free now.
      if (!found) continue
      if (found.request_hash !== attempt.requestHash) return { state: 'mismatch' }
      if (found.answer === null) return { state: 'in_progress' }
      return { state: 'replay', answer: secrets.open(found.answer) }
    }
  }

  /** A key is free when it is unknown, expired, or was left by a dead process with the same request. */
  async function take(id: Id, requestHash: string, holder: string): Promise<boolean> {
    const fresh = {
      request_hash: requestHash,
      answer: null,
      lease_owner: holder,
      lease_until: inMs(LEASE_MS),
      expires_at: inMs(KEPT_MS),
    }
    const left = leaseIsFree(dialect, 'kernel_idempotency', owner)
    const taken = await writer
      .insertInto('kernel_idempotency')
      .values({ ...id, ...fresh })
      .onConflict((conflict) =>
        conflict
          .columns(['scope', 'key'])
          .doUpdateSet(fresh)
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
      .returning('lease_owner')
      .executeTakeFirst()
    return taken !== undefined
  }

  function first(id: Id, holder: string, sinceMs: number): FirstAttempt {
    // Whoever loses the lease goes on: what it does cannot be taken back. It only may not finish.
    const end = startHeartbeat({
      ttlMs: LEASE_MS,
      sinceMs,
      renew: () => renew(id, holder),
      onLost: () => {},
    })
    return {
      state: 'new',
      finish: async (answer) => {
        end()
        await own(id, holder)
          .set({
            answer: secrets.seal(answer),
            expires_at: inMs(KEPT_MS),
            lease_owner: null,
            lease_until: null,
          })
          .execute()
      },
      abandon: async () => {
        end()
        await writer
          .deleteFrom('kernel_idempotency')
          .where('scope', '=', id.scope)
          .where('key', '=', id.key)
          .where('lease_owner', '=', holder)
          .execute()
      },
    }
  }

  async function renew(id: Id, holder: string): Promise<boolean> {
    const renewed = await own(id, holder)
      .set({ lease_until: inMs(LEASE_MS) })
      .executeTakeFirst()
    return renewed.numUpdatedRows === 1n
  }

  function own(id: Id, holder: string) {
    return writer
      .updateTable('kernel_idempotency')
      .where('scope', '=', id.scope)
      .where('key', '=', id.key)
      .where('lease_owner', '=', holder)
  }

  async function find(id: Id) {
    return reader
      .selectFrom('kernel_idempotency')
      .select(['request_hash', 'answer'])
      .where('scope', '=', id.scope)
      .where('key', '=', id.key)
      .executeTakeFirst()
  }

  /** Deletes what is older than a day, in short writes, and returns how many. */
  async function purge(signal?: AbortSignal): Promise<number> {
    let deleted = 0
    for (;;) {
      const count = signal?.aborted ? 0 : await purgeBatch()
      deleted += count
      if (count < PURGE_BATCH) return deleted
    }
  }

  async function purgeBatch(): Promise<number> {
    const { numDeletedRows } = await writer
      .deleteFrom('kernel_idempotency')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('scope', 'key'),
          'in',
          selectFrom('kernel_idempotency')
            .select(['scope', 'key'])
            .where('expires_at', '<=', sql<number>`(select ${dialect.nowMs()})`)
            .limit(PURGE_BATCH)
            .$asTuple('scope', 'key'),
        ),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  }

  function inMs(ms: number) {
    return sql<number>`${dialect.nowMs()} + ${ms}`
  }
}

interface Id {
  readonly scope: string
  readonly key: string
}

export type Idempotency = ReturnType<typeof createIdempotency>

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
