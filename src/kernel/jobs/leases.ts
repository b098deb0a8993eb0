import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import type { Random } from '../random.ts'
import { startHeartbeat } from './heartbeat.ts'
import { type LeaseColumns, leaseIsFree, newHolder } from './lease-columns.ts'
import { createRenewals } from './renewals.ts'

interface LeaseTables {
  kernel_leases: LeaseColumns & { name: string }
}

interface Deps {
  readonly db: Database
  /** The name of this process, new with every start and the same in all of its threads. */
  readonly owner: string
  readonly random: Random
  readonly log: Log
}

export interface LeaseOptions {
  /** A dead holder blocks the others at most this long. */
  readonly ttlMs: number
  /** Ends the waiting, and is handed on to the work. */
  readonly signal?: AbortSignal
}

export type Held<T> = { readonly held: true; readonly result: T } | { readonly held: false }

/** Why the signal of the work was aborted: another holder has, or may have, the lease. */
export class LeaseLostError extends Error {
  constructor(name: string) {
    super(`The lease ${name} was lost`)
    this.name = 'LeaseLostError'
  }
}

/**
 * Named singletons over all nodes. The signal is aborted when the lease is lost, but a process can
 * be stopped between looking at it and acting: what must never happen twice needs a lock or a
 * condition in the database besides.
 */
export function createLeases({ db, owner, random, log }: Deps) {
  const { dialect } = db
  const writer: Kysely<LeaseTables> = db.main.writer
  const { renew } = createRenewals({ prolong })
  return { hold, tryHold }

  /** Waits until the lease is free, then works under it and releases it. */
  async function hold<T>(
    name: string,
    options: LeaseOptions,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const attempt = await tryHold(name, options, work)
      if (attempt.held) return attempt.result
      const { signal } = options
      await delay(options.ttlMs / 3, undefined, signal ? { signal } : {})
    }
  }

  /** Works under the lease when it is free, and does nothing otherwise. */
  async function tryHold<T>(
    name: string,
    { ttlMs, signal }: LeaseOptions,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<Held<T>> {
    signal?.throwIfAborted()
    const holder = newHolder(owner, random)
    const sinceMs = performance.now()
    if (!(await acquire(name, holder, ttlMs))) return { held: false }

    const lost = new AbortController()
    const endHeartbeat = startHeartbeat({
      ttlMs,
      sinceMs,
      renew: () => renew({ name, holder, ttlMs }),
      onLost: () => {
        log.warn({ lease: name, holder }, 'a lease was lost')
        lost.abort(new LeaseLostError(name))
      },
    })
    try {
      signal?.throwIfAborted()
      const signals = signal ? [signal, lost.signal] : [lost.signal]
      return { held: true, result: await work(AbortSignal.any(signals)) }
    } finally {
      endHeartbeat()
      await release(name, holder)
    }
  }

  async function acquire(name: string, holder: string, ttlMs: number): Promise<boolean> {
    const lease = { lease_owner: holder, lease_until: untilMs(ttlMs) }
    const taken = await writer
      .insertInto('kernel_leases')
      .values({ name, ...lease })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet(lease)
          .where(({ or }) => or([leaseIsFree(dialect, 'kernel_leases', owner), isBeyond(ttlMs)])),
      )
      .returning('name')
      .executeTakeFirst()
    return taken !== undefined
  }

  /** Taken before the clock was set back: whoever has it may be gone, and if not renews it or hears of its loss. */
  function isBeyond(ttlMs: number) {
    return sql<boolean>`${sql.ref('kernel_leases.lease_until')} > ${untilMs(ttlMs)}`
  }

  async function prolong(ttlMs: number, held: readonly { name: string; holder: string }[]) {
    const rows = await writer
      .updateTable('kernel_leases')
      .set({ lease_until: untilMs(ttlMs) })
      .where(({ refTuple, tuple, eb }) =>
        eb(
          refTuple('name', 'lease_owner'),
          'in',
          held.map(({ name, holder }) => tuple(name, holder)),
        ),
      )
      .returning('lease_owner')
      .execute()
    return new Set(rows.flatMap(({ lease_owner: holder }) => holder ?? []))
  }

  /** A release that fails costs the others the rest of the lease's time, nothing more. */
  async function release(name: string, holder: string) {
    try {
      await writer
        .deleteFrom('kernel_leases')
        .where('name', '=', name)
        .where('lease_owner', '=', holder)
        .execute()
    } catch (error) {
      log.warn({ err: error, lease: name }, 'a lease could not be released')
    }
  }

  function untilMs(ttlMs: number) {
    return sql<number>`${dialect.nowMs()} + ${ttlMs}`
  }
}

export type Leases = ReturnType<typeof createLeases>
