import type { Pool, PoolClient } from 'pg'
import { DomainError, unavailable } from '../errors.ts'

const CODE = 'storage_unavailable'
/** To whoever has waited for a connection of others; a failed attempt to connect has other words. */
const WAIT_IS_OVER = 'timeout exceeded when trying to connect'

/** That others have all connections for so long is a limit that is kept, no failure of the database. */
export function orderly(pool: Pool): Pool {
  const connect: Pool['connect'] = pool.connect.bind(pool)
  return Object.assign(pool, { connect: orRefuse })

  function orRefuse(...given: Parameters<Pool['connect']> | []): Promise<PoolClient> | undefined {
    const [callback] = given
    if (callback) {
      connect(callback)
      return undefined
    }
    return connect().catch((error: unknown) => {
      const isOver = error instanceof Error && error.message === WAIT_IS_OVER
      throw isOver
        ? unavailable(CODE, 'All connections to the database are in use; try again')
        : error
    })
  }
}

export function isInUse(error: unknown): boolean {
  return error instanceof DomainError && error.code === CODE
}
