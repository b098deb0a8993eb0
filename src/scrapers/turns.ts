interface Limits {
  /** How many are under way at once, of all users together. */
  readonly atOnce: number
  /** Of these, how many of one user: the rest stays free for others. */
  readonly atOnceOfUser: number
  /** How many of one user may wait. */
  readonly waitingOfUser: number
  /** How many may wait, of all users together. */
  readonly waiting: number
}

interface User {
  atWork: number
  readonly waiting: Waiting[]
}

interface Waiting {
  begin(): void
}

/** Why nobody may wait: the user's own queue is full, or that of all. */
export type Full = 'user' | 'all'

/**
 * Slots for work that many users want at the same time: users take turns, whatever number of
 * requests each of them has waiting.
 */
export function createTurns(limits: Limits) {
  /** In the order in which their turn comes; users without work are not in it. */
  const users = new Map<number, User>()
  let atWork = 0
  let waiting = 0
  return { enter }

  /**
   * Resolves with the function that gives the slot back. Rejects with the reason of the signal, which
   * ends the wait only.
   */
  function enter(userId: number, signal: AbortSignal): Promise<() => void> | Full {
    const user = users.get(userId) ?? { atWork: 0, waiting: [] }
    if (atWork < limits.atOnce && user.atWork < limits.atOnceOfUser) {
      return Promise.resolve(begin(userId, user))
    }
    if (user.waiting.length >= limits.waitingOfUser) return 'user'
    if (waiting >= limits.waiting) return 'all'
    users.set(userId, user)
    return new Promise((resolve, reject) => {
      const own: Waiting = {
        begin() {
          signal.removeEventListener('abort', leave)
          resolve(begin(userId, user))
        },
      }
      waiting++
      user.waiting.push(own)
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })

      function leave() {
        user.waiting.splice(user.waiting.indexOf(own), 1)
        waiting--
        forget(userId, user)
        reject(signal.reason)
      }
    })
  }

  /** Who has just begun comes last when the next slot is free. */
  function begin(userId: number, user: User): () => void {
    atWork++
    user.atWork++
    users.delete(userId)
    users.set(userId, user)
    return () => {
      atWork--
      user.atWork--
      forget(userId, user)
      next()
    }
  }

  /** Of the users who wait, one with the least under way; of these the one who waited longest. */
  function next() {
    let chosen: User | undefined
    for (const user of users.values()) {
      if (user.waiting.length === 0 || user.atWork >= limits.atOnceOfUser) continue
      if (!chosen || user.atWork < chosen.atWork) chosen = user
    }
    const first = chosen?.waiting.shift()
    if (!first) return
    waiting--
    first.begin()
  }

  function forget(userId: number, user: User) {
    if (user.atWork === 0 && user.waiting.length === 0) users.delete(userId)
  }
}
