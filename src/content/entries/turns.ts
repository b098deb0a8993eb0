import { LostRace } from './refusals.ts'

/**
 * The place of a write among others that are made at the same time and should look as if they were made one after
 * the other: its numbers and its events come behind those of the one before.
 */
export interface Turn {
  beforeNumbers(): Promise<void>
  numbersTaken(): void
  beforeSending(): Promise<void>
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
  end: () => {},
}

/**
 * Writes one behind the other, of which the next one is planned meanwhile: it takes its numbers when the one before has
 * its own, and is sent when that one is over, whatever became of it. So of equal values the first one is kept. If one
 * before it has taken numbers again, it has lost a race, because its own are to be higher.
 */
export function createLine<Item>(work: (item: Item, turn: Turn) => Promise<void>) {
  let last = Promise.resolve()
  let numbers = Promise.resolve()
  /** How often numbers were taken, and when those of the writes that are done were. */
  let takings = 0
  let latestDone = 0
  return { add, end: () => last }

  /** Resolves when no other one is planned ahead. */
  async function add(item: Item): Promise<void> {
    const before = last
    const numbersBefore = numbers
    const taken = Promise.withResolvers<void>()
    let own = 0
    /** Those of the plan that is being made. */
    let planned: number | undefined
    numbers = numbersBefore.then(() => taken.promise)
    last = work(item, {
      beforeNumbers: () => numbersBefore,
      numbersTaken() {
        own = ++takings
        planned = own
        taken.resolve()
      },
      async beforeSending() {
        await before
        if (planned !== undefined && planned < latestDone) throw new LostRace()
      },
      end() {
        planned = undefined
        taken.resolve()
      },
    }).finally(() => {
      latestDone = Math.max(latestDone, own)
      taken.resolve()
    })
    // Told when it is waited for.
    last.catch(() => {})
    await before
  }
}
