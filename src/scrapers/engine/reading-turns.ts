import { createTurns } from '../turns.ts'

const ONE_AT_A_TIME = {
  ...{ atOnce: 1, atOnceOfUser: 1 },
  ...{ waiting: Number.POSITIVE_INFINITY, waitingOfUser: Number.POSITIVE_INFINITY },
}

/**
 * Reading a page keeps the whole thread busy. Between two pages everything else of the thread goes
 * on, and users take turns: hundreds of pages of one user delay a page of another by one page.
 */
export function createReadingTurns() {
  const turns = createTurns(ONE_AT_A_TIME)
  return { take }

  /** Resolves when a page of the user may be read; the reading must follow at once. */
  async function take(userId: number, signal: AbortSignal): Promise<void> {
    const leave = await turns.enter(userId, signal)
    if (typeof leave === 'function') setImmediate(leave)
  }
}

export type ReadingTurns = ReturnType<typeof createReadingTurns>
