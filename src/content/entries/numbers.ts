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
    const taken = atOnce(wanted) ?? (await (isPlan ? together(trx, wanted) : alone(trx, wanted)))
    const lasts = Object.entries(taken).map(([name, list]) => [name, list.at(-1) ?? 0] as const)
    await sequences.keep(trx, new Map(lasts))
    return taken
  }

  /** Never while others wait for theirs: those would be lower, and come later. */
  function atOnce(wanted: NumbersWanted): NumbersTaken | undefined {
    if (isAsking) return undefined
    const lists = sequences.reserveAtOnce(toList(wanted))
    return (
      lists && Object.fromEntries(Object.keys(wanted).map((name, at) => [name, lists[at] ?? []]))
    )
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
    const lists = await sequences.reserve(trx, toList(counts))
    const left = new Map(names.map((name, at) => [name, lists[at] ?? []]))
    return asked.map((wanted) =>
      Object.fromEntries(
        Object.entries(wanted).map(([name, count]) => [name, shareOf(left, name, count)]),
      ),
    )
  }
}

function toList(counts: NumbersWanted) {
  return Object.entries(counts).map(([name, count]) => ({ name, count }))
}

/** Takes them away from what is left. */
function shareOf(left: Map<string, number[]>, name: string, count: number): number[] {
  const share = left.get(name)?.splice(0, count) ?? []
  if (share.length < count) throw new Error(`the sequence ${name} gave too few numbers`)
  return share
}
