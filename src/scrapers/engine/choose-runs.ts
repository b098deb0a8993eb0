/** A run that nobody works on. */
export interface WaitingRun {
  readonly id: number
  readonly userId: number
  /** Whose lease of it ran out; null: it is new, or was given back. */
  readonly lostBy: string | null
}

interface Room {
  /** `scrapers.max_concurrent_runs` */
  readonly slots: number
  /** How many runs of each user this thread works on. */
  readonly atWork: ReadonlyMap<number, number>
}

/**
 * The runs to begin now: users take turns, each with its oldest run first. The last fifth of the
 * slots is for users none of whose runs is worked on, so that hours of somebody's long runs are not
 * waited for.
 */
export function chooseRuns(waiting: readonly WaitingRun[], { slots, atWork }: Room): WaitingRun[] {
  const kept = slots > 1 ? Math.ceil(slots / 5) : 0
  const counts = new Map(atWork)
  const queues = Map.groupBy(
    waiting.toSorted((a, b) => a.id - b.id),
    ({ userId }) => userId,
  )
  let free = slots - atWork.values().reduce((sum, count) => sum + count, 0)
  const chosen: WaitingRun[] = []
  while (free > 0) {
    let next: WaitingRun[] | undefined
    let fewest = free > kept ? Number.POSITIVE_INFINITY : 1
    for (const [userId, queue] of queues) {
      const count = counts.get(userId) ?? 0
      if (queue.length === 0 || count >= fewest) continue
      next = queue
      fewest = count
    }
    const run = next?.shift()
    if (!run) break
    chosen.push(run)
    counts.set(run.userId, (counts.get(run.userId) ?? 0) + 1)
    free--
  }
  return chosen
}
