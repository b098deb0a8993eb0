/** Writes at a steady rate, whether or not earlier ones were answered, until it is stopped. */
export function writeSteadily(server: { write(): Promise<void> }, perSecond: number) {
  const startedMs = performance.now()
  const underWay = new Set<Promise<void>>()
  let done = 0
  let failure: unknown
  const timer = setInterval(write, 1_000 / perSecond)
  return { stop }

  function write() {
    const one = server.write().then(
      () => void done++,
      (error) => {
        failure = error
      },
    )
    underWay.add(one)
    void one.finally(() => underWay.delete(one))
  }

  /** How many were answered a second. */
  async function stop(): Promise<number> {
    clearInterval(timer)
    const seconds = (performance.now() - startedMs) / 1_000
    await Promise.all(underWay)
    if (failure) throw failure
    return done / seconds
  }
}
