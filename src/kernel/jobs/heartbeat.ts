interface Heartbeat {
  readonly ttlMs: number
  /** `performance.now()` from before the lease was asked for. */
  readonly sinceMs: number
  /** False when the lease belongs to somebody else. */
  renew(): Promise<boolean>
  onLost(): void
}

/**
 * Renews a lease three times in its life. Calls `onLost` once: when somebody else has it, or when
 * its time ran out without an answer of the database, since then somebody else may have it.
 * Returns the function that ends the heartbeat.
 */
export function startHeartbeat({ ttlMs, sinceMs, renew, onLost }: Heartbeat): () => void {
  let beating = false
  let deadline = setTimeout(lose, remainingMs(sinceMs))
  const timer = setInterval(() => void beat(), ttlMs / 3)
  let ended = false
  return end

  async function beat() {
    if (beating) return
    beating = true
    const startedAtMs = performance.now()
    try {
      const renewed = await renew()
      if (ended) return
      if (!renewed) return lose()
      clearTimeout(deadline)
      deadline = setTimeout(lose, remainingMs(startedAtMs))
    } catch {
      // The next beat may succeed; the deadline decides.
    } finally {
      beating = false
    }
  }

  function remainingMs(fromMs: number): number {
    return Math.max(0, fromMs + ttlMs - performance.now())
  }

  function lose() {
    if (ended) return
    end()
    onLost()
  }

  function end() {
    ended = true
    clearTimeout(deadline)
    clearInterval(timer)
  }
}
