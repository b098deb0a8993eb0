interface Renewal {
  readonly name: string
  /** Of this holding alone. */
  readonly holder: string
  readonly ttlMs: number
}

interface Waiting extends Renewal {
  resolve(isRenewed: boolean): void
  reject(error: unknown): void
}

interface Deps {
  /** Prolongs leases by the time; gives the holders that have theirs still. */
  prolong(ttlMs: number, renewals: readonly Renewal[]): Promise<ReadonlySet<string>>
}

/** Of its time a lease waits so much at most for others, and so long. */
const SHARE = 1 / 20
const LONGEST_MS = 100

/**
 * Leases that are renewed in one moment share a statement. Each is a commit, and commits of leases would be most of
 * what a server writes that has nothing to do.
 */
export function createRenewals({ prolong }: Deps) {
  let waiting: Waiting[] = []
  return { renew }

  /** False when the lease belongs to somebody else. */
  function renew(renewal: Renewal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      waiting.push({ ...renewal, resolve, reject })
      if (waiting.length > 1) return
      setTimeout(renewAll, Math.min(renewal.ttlMs * SHARE, LONGEST_MS))
    })
  }

  function renewAll() {
    const own = waiting
    waiting = []
    for (const [ttlMs, those] of Map.groupBy(own, (each) => each.ttlMs)) {
      prolong(ttlMs, those).then(
        (kept) => {
          for (const { holder, resolve } of those) resolve(kept.has(holder))
        },
        (error) => {
          for (const { reject } of those) reject(error)
        },
      )
    }
  }
}
