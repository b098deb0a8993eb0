import type { Database, DatabaseSettings } from '#db'
import type { Log } from '#kernel'
import { createClock } from '../../../src/kernel/clock.ts'
import { startDatabase } from '../../../src/kernel/db/open.ts'
import { settleThread } from '../../../src/kernel/threads/settled.ts'

/** What the parent gave this process to do. */
export function argument<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}')
}

export const log: Log = { debug() {}, info() {}, warn() {}, error: console.error }

export async function open(settings: DatabaseSettings): Promise<Database> {
  const { database } = await startDatabase(settings, {
    clock: createClock(),
    log,
    onThreadFailure: (name, error) => {
      throw new Error(`${name}: ${error.message}`)
    },
  })
  // It will be killed, and the next one should not have to compile it all again.
  settleThread()
  return database
}
