import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { DomainError, unavailable } from '../errors.ts'

const CODE = 'storage_unavailable'
/** To whoever has waited for a connection of others; a failed attempt to connect has other words. */
const WAIT_IS_OVER = 'timeout exceeded when trying to connect'
const SERVER_IS_FULL = '53300'
/** A time limit that is noticed so much later was missed by a thread that was held up itself. */
const HELD_UP_MS = 500
const MOST_HELD_UP = 3
const RETRY_MS = 50
/** So long after a refusal the pool makes do with what it has. */
const SHORT_OF_MS = 1_000

/** That others have all connections for so long is a limit that is kept, no failure of the database. */
export function orderly(pool: Pool): Pool {
  const { options } = pool
  const { max, connectionTimeoutMillis: waitMs = 0 } = options
  const connect: Pool['connect'] = pool.connect.bind(pool)
  let growing: NodeJS.Timeout | undefined
  return Object.assign(pool, { connect: orRefuse })

  function orRefuse(...given: Parameters<Pool['connect']> | []): Promise<PoolClient> | undefined {
    const [callback] = given
    if (callback) {
      connect(callback)
      return undefined
    }
    return whileFull(() => connect(), waitMs, shrink).catch((error: unknown) => {
      const isOver = error instanceof Error && error.message === WAIT_IS_OVER
      throw isOver
        ? unavailable(CODE, 'All connections to the database are in use; try again')
        : error
    })
  }

  /** Who asks next waits for one of those that are there, instead of being refused by the server. */
  function shrink() {
    options.max = Math.max(1, pool.totalCount)
    clearTimeout(growing)
    growing = setTimeout(() => {
      options.max = max
    }, SHORT_OF_MS).unref()
  }
}

/**
 * Other processes have all connections that the server allows; one that they leave is taken in time. Who was held up
 * by other work, and not by the server, tries again.
 */
export async function whileFull<Connection>(
  connect: () => Promise<Connection>,
  waitMs: number,
  onFull: () => void = () => {},
): Promise<Connection> {
  const endMs = performance.now() + waitMs
  for (let heldUp = 0; ; ) {
    const begunMs = performance.now()
    try {
      return await connect()
    } catch (error) {
      const isLate = performance.now() - begunMs > waitMs + HELD_UP_MS
      if (isLate && heldUp++ < MOST_HELD_UP) continue
      const isFull = error instanceof Error && 'code' in error && error.code === SERVER_IS_FULL
      if (!isFull || performance.now() >= endMs) throw error
      onFull()
      await delay(RETRY_MS)
    }
  }
}

export function isInUse(error: unknown): boolean {
  return error instanceof DomainError && error.code === CODE
}
