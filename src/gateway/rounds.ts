/** Questions to all threads: who has answered, who has not, and when it is over. */

interface Round<Answer> {
  readonly answers: Answer[]
  readonly missing: Set<string>
  readonly timer: NodeJS.Timeout
  end(): void
}

interface Options {
  /** Called with those who have not answered, as often as the time passes; without it the round then ends without them. */
  onSilent?(names: ReadonlySet<string>): void
  readonly withinMs: number
}

export function createRounds<Answer>({ withinMs, onSilent }: Options) {
  const open = new Map<number, Round<Answer>>()
  let last = 0
  return { ask, answer, leave }

  /** Resolves when everybody named has answered or ended. `post` gets the number to answer to. */
  function ask(names: readonly string[], post: (ask: number) => void): Promise<readonly Answer[]> {
    const number = ++last
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(round.timer)
        open.delete(number)
        resolve(round.answers)
      }
      const late = () => {
        if (!open.has(number)) return
        if (!onSilent) return end()
        onSilent(round.missing)
        // Who could not be helped now is looked at again.
        timer.refresh()
      }
      // After what has come meanwhile is heard: this thread may be the one that was held up.
      const timer = setTimeout(() => setImmediate(late), withinMs)
      const round: Round<Answer> = { answers: [], missing: new Set(names), timer, end }
      open.set(number, round)
      post(number)
      if (round.missing.size === 0) end()
    })
  }

  function answer(number: number, name: string, given: Answer): void {
    const round = open.get(number)
    if (!round?.missing.delete(name)) return
    round.answers.push(given)
    if (round.missing.size === 0) round.end()
  }

  /** A thread that has ended knows nothing any more, so there is nothing to wait for. */
  function leave(name: string): void {
    for (const round of open.values()) {
      if (round.missing.delete(name) && round.missing.size === 0) round.end()
    }
  }
}
