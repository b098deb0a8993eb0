import type { SqlDialect } from '#db'
import type { Trx } from './store/statements.ts'

/** How many numbers of which sequences. */
export type NumbersWanted = Readonly<Record<string, number>>
/** The numbers of each sequence, rising. */
export type NumbersTaken = Readonly<Record<string, readonly number[]>>

interface Waiting {
  readonly trx: Trx
  readonly wanted: NumbersWanted
  resolve(numbers: NumbersTaken): void
  reject(error: unknown): void
}

/** Numbers for plans that are made at the same time, taken together: one question for all of them. */
export function createNumbers({ sequences }: Pick<SqlDialect, 'sequences'>) {
  let waiting: Waiting[] = []
  let isAsking = false
  return { take }

  /** For a plan or within a transaction. */
  async function take(trx: Trx, isPlan: boolean, wanted: NumbersWanted): Promise<NumbersTaken> {
    const taken = isPlan ? await together(trx, wanted) : await alone(trx, wanted)
    for (const [name, numbers] of Object.entries(taken)) {
      await sequences.keep(trx, name, numbers.at(-1) ?? 0)
    }
    return taken
  }

  async function alone(trx: Trx, wanted: NumbersWanted): Promise<NumbersTaken> {
    const [taken = {}] = await reserve(trx, [wanted])
    return taken
  }

  function together(trx: Trx, wanted: NumbersWanted): Promise<NumbersTaken> {
    return new Promise((resolve, reject) => {
      waiting.push({ trx, wanted, resolve, reject })
      if (!isAsking) setImmediate(flush)
      isAsking = true
    })
  }

  /** One question after the other: two at once could be answered in any order. */
  async function flush() {
    for (let [first] = waiting; first; [first] = waiting) {
      const all = waiting
      waiting = []
      const asked = all.map(({ wanted }) => wanted)
      await reserve(first.trx, asked).then(
        (lists) => {
          for (const [at, { resolve }] of all.entries()) resolve(lists[at] ?? {})
        },
        (error) => {
          for (const { reject } of all) reject(error)
        },
      )
    }
    isAsking = false
  }

  async function reserve(trx: Trx, asked: readonly NumbersWanted[]): Promise<NumbersTaken[]> {
    const counts: Record<string, number> = {}
    for (const wanted of asked) {
      for (const [name, count] of Object.entries(wanted)) {
        counts[name] = (counts[name] ?? 0) + count
      }
    }
    const names = Object.keys(counts)
    const lists = await sequences.reserve(
      trx,
      names.map((name) => ({ name, count: counts[name] ?? 0 })),
    )
    const left = new Map(names.map((name, at) => [name, lists[at] ?? []]))
    return asked.map((wanted) =>
      Object.fromEntries(
        Object.entries(wanted).map(([name, count]) => [name, shareOf(left, name, count)]),
      ),
    )
  }
}

/** Takes them away from what is left. */
function shareOf(left: Map<string, number[]>, name: string, count: number): number[] {
  const share = left.get(name)?.splice(0, count) ?? []
  if (share.length < count) throw new Error(`the sequence ${name} gave too few numbers`)
  return share
}
