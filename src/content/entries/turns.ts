import type { Tx } from '#db'
import { LostRace } from './refusals.ts'

type PlanLink = ReturnType<NonNullable<Tx['sendBehind']>>

/**
 * The place of a write among others that are made at the same time and should look as if they were made one after
 * the other: its numbers and its events come behind those of the one before.
 */
export interface Turn {
  beforeNumbers(): Promise<void>
  numbersTaken(): void
  /** Without a plan: all of what is before it is over. */
  beforeSending(tx?: Pick<Tx, 'sendBehind'>): Promise<void>
  /** Of the plan that is being made: whether the write is over with it, so that the next one may be sent behind it. */
  mayBeFollowed(may: boolean): void
  /** Sent, refused or given up: in any case nobody waits for it any more. */
  end(): void
}

/** Turns for so many writes. A write that has to be made again no longer keeps its place. */
export function createTurns(count: number): Turn[] {
  let before = { numbers: Promise.resolve(), sending: Promise.resolve() }
  return Array.from({ length: count }, () => {
    const { numbers, sending } = before
    const taken = Promise.withResolvers<void>()
    const sent = Promise.withResolvers<void>()
    // One that ends early must not let the next ones pass those before it.
    before = {
      numbers: numbers.then(() => taken.promise),
      sending: sending.then(() => sent.promise),
    }
    return {
      beforeNumbers: () => numbers,
      numbersTaken: taken.resolve,
      beforeSending: () => sending,
      mayBeFollowed: () => {},
      end: () => {
        taken.resolve()
        sent.resolve()
      },
    }
  })
}

/** Of a write that nobody else is made beside. */
export const AT_ONCE_TURN: Turn = {
  beforeNumbers: async () => {},
  numbersTaken: () => {},
  beforeSending: async () => {},
  mayBeFollowed: () => {},
  end: () => {},
}

/**
 * Writes one behind the other, of which the next one is planned meanwhile: it takes its numbers when the one before has
 * its own. Where plans can be put in a row it is sent behind that one, and carried out only if that one is; else, and
 * when it is made again, it is sent when that one is over, whatever became of it. So of equal values the first one is
 * kept. If one before it has taken numbers again, it has lost a race, because its own are to be higher.
 */
export function createLine<Item>(work: (item: Item, turn: Turn) => Promise<void>) {
  let last = Promise.resolve()
  let lastButOne = last
  let numbers = Promise.resolve()
  /** The plan on its way that the next one may be sent behind; undefined when all writes are over. */
  let ahead: Promise<PlanLink | undefined> = Promise.resolve(undefined)
  let isRow = false
  /** How often numbers were taken, and when those of the writes that are done were. */
  let takings = 0
  let latestDone = 0
  return { add, end: () => last }

  /** Resolves when no other one is planned ahead; two are under way meanwhile where they can be put in a row. */
  async function add(item: Item): Promise<void> {
    const before = last
    const beforeThat = lastButOne
    const numbersBefore = numbers
    const aheadOfIt = ahead
    const taken = Promise.withResolvers<void>()
    const followed = Promise.withResolvers<PlanLink | undefined>()
    let own = 0
    /** Those of the plan that is being made. */
    let planned: number | undefined
    let mayFollow = false
    let isFirstPlan = true
    numbers = numbersBefore.then(() => taken.promise)
    ahead = followed.promise
    lastButOne = before
    last = work(item, {
      beforeNumbers: () => numbersBefore,
      numbersTaken() {
        own = ++takings
        planned = own
        taken.resolve()
      },
      mayBeFollowed(may) {
        mayFollow = may
      },
      async beforeSending(tx) {
        isRow ||= tx?.sendBehind !== undefined
        const leader = isFirstPlan && tx?.sendBehind ? await aheadOfIt : await before
        isFirstPlan = false
        if (planned !== undefined && planned < latestDone) throw new LostRace()
        const link = tx?.sendBehind?.(leader ?? undefined)
        if (link && mayFollow) link.sent.then(() => followed.resolve(link))
      },
      end() {
        planned = undefined
        taken.resolve()
      },
    }).finally(() => {
      latestDone = Math.max(latestDone, own)
      taken.resolve()
      followed.resolve(undefined)
    })
    // Told when it is waited for.
    last.catch(() => {})
    await (isRow ? beforeThat : before)
  }
}
