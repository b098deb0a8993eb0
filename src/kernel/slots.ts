/** So many at a time; the others wait, and whoever came first goes first. */
export function createSlots(count: number) {
  const waiting: (() => void)[] = []
  let free = count
  return { run }

  async function run<T>(work: () => Promise<T>): Promise<T> {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
