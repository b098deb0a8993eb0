/** Entries on their way out: kept in bounded memory, given away in batches, one at a time. */
interface Deps {
  /** Resolves when the batch is where it belongs; a rejection loses it. */
  send(entries: readonly string[]): Promise<void>
  /** So many entries were lost, and why. */
  drop(entries: number, error: unknown): void
  readonly maxEntries: number
  readonly waitMs: number
}

const MAX_KEPT_BYTES = 8 * 1024 * 1024

export function createBatches({ send, drop, maxEntries, waitMs }: Deps) {
  const entries: string[] = []
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | null = null
  let underWay = 0
  const left = () => entries.length + underWay
  return { add, drain, left }

  function add(entry: string) {
    if (bytes + entry.length > MAX_KEPT_BYTES) return drop(1, new Error('too much is waiting'))
    entries.push(entry)
    bytes += entry.length
    if (entries.length >= maxEntries) flush()
    else timer ??= setTimeout(flush, waitMs)
  }

  function flush() {
    clearTimeout(timer)
    timer = undefined
    // Whatever comes meanwhile leaves with the next batch.
    if (sending || entries.length === 0) return
    const batch = entries.splice(0, maxEntries)
    underWay = batch.length
    sending = send(batch)
      .catch((error: unknown) => drop(batch.length, error))
      .then(() => {
        for (const entry of batch) bytes -= entry.length
        sending = null
        underWay = 0
        if (entries.length > 0) flush()
      })
  }

  async function drain(): Promise<void> {
    flush()
    while (sending) await sending
  }
}

export type Batches = ReturnType<typeof createBatches>
