import { sql } from 'kysely'
import type { Database } from '#db'
import { type Actor, DomainError, type Log, type Random } from '#kernel'
import { findSeatsElsewhere, lockSeats, purgeSeats, removeSeats, writeSeats } from './seat-store.ts'
import type { StreamTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly random: Pick<Random, 'text'>
  readonly log: Pick<Log, 'warn'>
}

const MAX_STREAMS = 10
/** The seats of a node that was killed are free again after this. */
const EXPIRE_MS = 30_000
const RENEW_EVERY_MS = 10_000

/**
 * How many streams a key may have open at once; a sign-in counts by its user. One process counts in
 * memory; several tell each other through the database, where they decide one after the other.
 */
export function createSeats({ db, random, log }: Deps) {
  const taken = new Map<string, number>()
  const node = random.text(16)
  const isShared = !db.dialect.singleProcess
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  return { start, stop, take }

  function start() {
    if (isShared) timer = setInterval(() => void inTurn(renew).catch(warn), RENEW_EVERY_MS).unref()
  }

  async function stop() {
    clearInterval(timer)
    stopped = true
    if (isShared) await inTurn(() => removeSeats(db.main.writer, node)).catch(warn)
  }

  /** Returns what gives the seat back, once however often it is called. */
  async function take({ apiKeyId, userId }: Actor): Promise<() => void> {
    const name = apiKeyId === null ? `user ${userId}` : `key ${apiKeyId}`
    await inTurn(async () => {
      const seats = (taken.get(name) ?? 0) + 1
      if (seats > MAX_STREAMS || !(await mayHave(name, seats))) throw tooMany()
      taken.set(name, seats)
    })
    let isHeld = true
    return () => {
      if (isHeld) leave(name)
      isHeld = false
    }
  }

  async function mayHave(name: string, seats: number): Promise<boolean> {
    if (!isShared) return true
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<StreamTables>()
      const expiresAt = expiry()
      await lockSeats(trx, name, expiresAt)
      const elsewhere = await findSeatsElsewhere(trx, { name, node }, db.dialect.nowMs())
      if (elsewhere + seats > MAX_STREAMS) return false
      await writeSeats(trx, [{ name, node, seats }], expiresAt)
      return true
    })
  }

  function leave(name: string) {
    const seats = (taken.get(name) ?? 0) - 1
    if (seats > 0) taken.set(name, seats)
    else taken.delete(name)
    // Should it fail, the next renewal says the same.
    if (isShared && !stopped) inTurn(() => tell(name)).catch(warn)
  }

  async function tell(name: string) {
    const seats = taken.get(name) ?? 0
    await writeSeats(db.main.writer, [{ name, node, seats }], expiry())
  }

  async function renew() {
    const all = [...taken].map(([name, seats]) => ({ name, node, seats }))
    await writeSeats(db.main.writer, all, expiry())
    await purgeSeats(db.main.writer, db.dialect.nowMs())
  }

  function expiry() {
    return sql<number>`${db.dialect.nowMs()} + ${EXPIRE_MS}`
  }

  /** One after the other, so that what is written is never older than what was. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }

  function warn(err: unknown) {
    log.warn({ err }, 'other nodes could not be told how many streams are open here')
  }
}

export type Seats = ReturnType<typeof createSeats>

function tooMany(): DomainError {
  const message = `At most ${MAX_STREAMS} usage streams can be open for one key`
  return new DomainError('limited', 'too_many_streams', message)
}
