import { createClock, type Database, type DatabaseSettings, type Log, startDatabase } from '#kernel'

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
  return database
}
