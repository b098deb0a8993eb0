/** How many requests a limit of a plan has refused; of requests without a key the plan has no name. */
interface Refusals {
  readonly limit: string
  readonly plan: string
  count: number
}

/** Counts refusals of one thread, for its metrics. */
export function createLimitRefusals() {
  const refused = new Map<string, Refusals>()
  return { note, all: (): readonly Refusals[] => [...refused.values()] }

  function note(limit: string, plan: string): void {
    const known = refused.get(`${limit} ${plan}`)
    if (known) known.count++
    else refused.set(`${limit} ${plan}`, { limit, plan, count: 1 })
  }
}
