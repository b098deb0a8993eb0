/** The same numbers for the same seed, so that a failure can be had again. */
export function createDice(seed: number) {
  let state = seed >>> 0
  return { below, chance, pick, some }

  /** Mulberry32. */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  function below(limit: number): number {
    return Math.floor(next() * limit)
  }

  function chance(share: number): boolean {
    return next() < share
  }

  function pick<T>(from: readonly T[]): T {
    const found = from[below(from.length)]
    if (found === undefined) throw new Error('nothing to pick from')
    return found
  }

  function some<T>(from: readonly T[], most: number): T[] {
    const left = [...from]
    const count = Math.min(below(most + 1), left.length)
    return Array.from({ length: count }, () => left.splice(below(left.length), 1)).flat()
  }
}

export type Dice = ReturnType<typeof createDice>
