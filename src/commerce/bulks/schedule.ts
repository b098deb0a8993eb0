import type { DueOperation } from './store.ts'

/** More would keep other writers waiting for longer than they may (DESIGN §4). */
const MOST_TOGETHER = 100
/** What a group is sent with is in memory while it is carried out; one operation alone may have more. */
const LARGEST_GROUP = 4 * 1024 * 1024

type Scheduled = Pick<DueOperation, 'bulkNo' | 'sku' | 'status' | 'size'>

interface Limits {
  /** Groups at the same time. */
  readonly atOnce: number
  /** When it says no, what has not begun is left. */
  mayBegin(): boolean
}

/**
 * Carries operations out in groups, several at the same time. The operations of a group are of one bulk and of different
 * SKUs; one of a SKU begins when those before it with this SKU are over.
 */
export async function inGroups<Operation extends Scheduled>(
  operations: readonly Operation[],
  { atOnce, mayBegin }: Limits,
  work: (group: readonly Operation[]) => Promise<void>,
): Promise<void> {
  const busy = new Set<string>()
  const running = new Set<Promise<void>>()
  const failures: unknown[] = []
  let waiting = operations
  for (;;) {
    // Nothing begins after a failure, and nobody goes on before all that began has ended.
    if (failures.length > 0 || !mayBegin()) waiting = []
    if (waiting.length === 0 && running.size === 0) break
    const { group, rest } = running.size < atOnce ? nextGroup(waiting, busy) : NONE(waiting)
    if (group.length === 0) {
      await Promise.race(running)
      continue
    }
    waiting = rest
    const run: Promise<void> = start(group).finally(() => running.delete(run))
    running.add(run)
  }
  if (failures.length > 0) throw failures[0]

  async function start(group: readonly Operation[]) {
    const skus = group.flatMap(({ sku }) => sku ?? [])
    for (const sku of skus) busy.add(sku)
    try {
      await work(group)
    } catch (error) {
      failures.push(error)
    } finally {
      for (const sku of skus) busy.delete(sku)
    }
  }
}

const NONE = <Operation>(rest: readonly Operation[]) => ({ group: [], rest })

/** The first operations that can go together, and what is left, in its order. */
function nextGroup<Operation extends Scheduled>(
  waiting: readonly Operation[],
  busy: ReadonlySet<string>,
): { readonly group: readonly Operation[]; readonly rest: readonly Operation[] } {
  const passed = new Set(busy)
  const group: Operation[] = []
  const rest: Operation[] = []
  let size = 0
  for (const operation of waiting) {
    const { sku, bulkNo } = operation
    const isFree = sku === null || !passed.has(sku)
    const isAlike = group[0] === undefined || group[0].bulkNo === bulkNo
    const fits = group.length === 0 || size + operation.size <= LARGEST_GROUP
    if (isFree && isAlike && fits && group.length < MOST_TOGETHER) {
      group.push(operation)
      size += operation.size
    } else rest.push(operation)
    if (sku !== null) passed.add(sku)
  }
  return { group, rest }
}
