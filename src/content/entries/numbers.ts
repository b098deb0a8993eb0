import type { SqlDialect } from '#db'
import type { Trx } from './store/statements.ts'

interface Waiting {
  readonly trx: Trx
  readonly names: readonly string[]
  resolve(numbers: readonly number[]): void
  reject(error: unknown): void
}

/** Numbers for plans that are made at the same time, taken together: one question for all of them. */
export function createNumbers({ sequences }: Pick<SqlDialect, 'sequences'>) {
  let waiting: Waiting[] = []
  let isAsking = false
  return { take }

  /** One of each of these sequences, for a plan or within a transaction; names may repeat. */
  async function take(
    trx: Trx,
    isPlan: boolean,
    names: readonly string[],
  ): Promise<readonly number[]> {
    const numbers = isPlan ? await together(trx, names) : await alone(trx, names)
    const lasts = new Map(names.map((name, at) => [name, numbers[at] ?? 0]))
    for (const [name, last] of lasts) await sequences.keep(trx, name, last)
    return numbers
  }

  async function alone(trx: Trx, names: readonly string[]): Promise<readonly number[]> {
    const [numbers = []] = await reserve(trx, [names])
    return numbers
  }

  function together(trx: Trx, names: readonly string[]): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      waiting.push({ trx, names, resolve, reject })
      if (!isAsking) setImmediate(flush)
      isAsking = true
    })
  }

  /** One question after the other: two at once could be answered in any order. */
  async function flush() {
    for (let [first] = waiting; first; [first] = waiting) {
      const all = waiting
      waiting = []
      const asked = all.map(({ names }) => names)
      await reserve(first.trx, asked).then(
        (lists) => {
          for (const [at, { resolve }] of all.entries()) resolve(lists[at] ?? [])
        },
        (error) => {
          for (const { reject } of all) reject(error)
        },
      )
    }
    isAsking = false
  }

  async function reserve(trx: Trx, asked: readonly (readonly string[])[]): Promise<number[][]> {
    const counts = new Map<string, number>()
    for (const name of asked.flat()) counts.set(name, (counts.get(name) ?? 0) + 1)
    const wanted = [...counts].map(([name, count]) => ({ name, count }))
    const lists = await sequences.reserve(trx, wanted)
    const left = new Map(wanted.map(({ name }, at) => [name, (lists[at] ?? []).values()]))
    return asked.map((names) => names.map((name) => next(left, name)))
  }
}

function next(left: ReadonlyMap<string, Iterator<number>>, name: string): number {
  const step = left.get(name)?.next()
  if (!step || step.done) throw new Error(`the sequence ${name} gave too few numbers`)
  return step.value
}
