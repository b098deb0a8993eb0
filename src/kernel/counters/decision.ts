import type { Clock } from '../clock.ts'
import { unavailable } from '../errors.ts'
import type { HashedName } from './hash.ts'
import type { Locks } from './locks.ts'
import type { CounterAnswer, CounterResult, CounterStep, Window } from './port.ts'
import type { Table } from './table.ts'
import { checkSteps, type Windows } from './window.ts'

export interface TableDeps {
  readonly table: Table
  readonly locks: Locks
  readonly windows: Windows
  readonly clock: Clock
}

/** Writes a change of a slot's count into the column that the caller means. */
type Apply = (slot: number, change: number) => void

export type Decide = (steps: readonly CounterStep[], apply: Apply) => CounterAnswer

/** A counter of one decision; steps of the same name share it. */
interface Cell {
  readonly hash: HashedName
  readonly bucket: number
  lock: number
  /** -1 before it was looked up, and when its bucket has no room for it. */
  slot: number
  isNew: boolean
  endsAtMs: number
  epoch: number
  before: number
  count: number
}

interface Plan {
  readonly step: CounterStep
  readonly cell: Cell
  tried: boolean
  refused: boolean
}

/**
 * The decision over the steps of one add: weighed first and written only then, so a refusal or a
 * full table leaves nothing behind. The clock is read under the locks; read before, a thread that
 * waited over the end of a window could reopen it.
 */
export function createDecide({ table, locks, windows, clock }: TableDeps): Decide {
  const { columns } = table
  return decide

  function decide(steps: readonly CounterStep[], apply: Apply): CounterAnswer {
    checkSteps(steps)
    const plans: Plan[] = []
    for (const step of steps) {
      plans.push({ step, cell: cellOf(step.name, plans), tried: false, refused: false })
    }
    const cells = inLockOrder(plans)
    for (const cell of cells) lock(cell, cells)
    try {
      return decideLocked(plans, apply)
    } finally {
      for (const cell of cells) if (cell.lock !== 0) locks.unlock(cell.bucket, cell.lock)
    }
  }

  function cellOf(name: string, earlier: readonly Plan[]): Cell {
    const hash = table.hash(name)
    for (const { cell } of earlier) {
      if (cell.hash.low === hash.low && cell.hash.high === hash.high) return cell
    }
    const bucket = table.bucketOf(hash)
    return {
      hash,
      bucket,
      lock: 0,
      slot: -1,
      isNew: false,
      endsAtMs: 0,
      epoch: 0,
      before: 0,
      count: 0,
    }
  }

  /** Places of one bucket share its lock. */
  function lock(cell: Cell, cells: readonly Cell[]): void {
    for (const other of cells) if (other.lock !== 0 && other.bucket === cell.bucket) return
    cell.lock = locks.lock(cell.bucket)
  }

  function decideLocked(plans: readonly Plan[], apply: Apply): CounterAnswer {
    const nowMs = clock.now()
    let allowed = true
    for (const plan of plans) {
      const { step, cell } = plan
      if (cell.endsAtMs === 0) look(cell, step.window, nowMs, plans)
      if (step.seeded && cell.isNew) return missingAnswer(step.name, nowMs)
      plan.tried = true
      cell.count = plus(cell, step)
      plan.refused = step.limit !== null && cell.count > step.limit
      allowed = !plan.refused
      if (!allowed) break
    }
    write(plans, allowed, apply)
    return { results: resultsOf(plans), allowed, missing: null, nowMs }
  }

  function look(cell: Cell, window: Window, nowMs: number, plans: readonly Plan[]): void {
    const slot = table.find(cell.bucket, cell.hash)
    const endsAtMs = slot < 0 ? 0 : table.get(columns.endsAtMs, slot)
    if (windows.isCurrent(window, endsAtMs, nowMs)) {
      cell.slot = slot
      cell.endsAtMs = endsAtMs
      cell.epoch = table.get(columns.epoch, slot)
      cell.before = table.get(columns.value, slot) + table.get(columns.owed, slot)
      cell.count = cell.before
      return
    }
    cell.slot = slot < 0 || isTaken(slot, plans) ? freeSlot(cell.bucket, nowMs, plans) : slot
    cell.endsAtMs = windows.endOf(window, nowMs)
    cell.isNew = true
  }

  function freeSlot(bucket: number, nowMs: number, plans: readonly Plan[]): number {
    let slot = table.findFree(bucket, nowMs)
    while (slot >= 0 && isTaken(slot, plans)) slot = table.findFree(bucket, nowMs, slot + 1)
    return slot
  }

  function write(plans: readonly Plan[], allowed: boolean, apply: Apply): void {
    for (const plan of plans) {
      if (isKept(plan, allowed) && plan.cell.slot < 0) throw tableFull(table.capacity)
      plan.cell.count = plan.cell.before
    }
    for (const plan of plans) {
      if (!isKept(plan, allowed)) continue
      const { step, cell } = plan
      if (cell.isNew) table.claim(cell.slot, cell.hash, cell.endsAtMs)
      cell.isNew = false
      const count = plus(cell, step)
      apply(cell.slot, count - cell.count)
      cell.count = count
    }
  }
}

/** The count after the step; one of another epoch changes nothing. */
function plus({ epoch, count }: Cell, step: CounterStep): number {
  if (step.epoch !== undefined && step.epoch !== epoch) return count
  return Math.max(0, count + step.amount)
}

/** Works on one counter under its lock; the slot is -1 when there is none of that name. */
export function withSlot<T>(
  table: Table,
  locks: Locks,
  name: string,
  work: (slot: number, hash: HashedName, bucket: number) => T,
): T {
  const hash = table.hash(name)
  const bucket = table.bucketOf(hash)
  const word = locks.lock(bucket)
  try {
    return work(table.find(bucket, hash), hash, bucket)
  } finally {
    locks.unlock(bucket, word)
  }
}

/** What a new counter meets when its bucket is full of running windows. */
export function tableFull(capacity: number) {
  return unavailable(
    'counters_full',
    `No room for another counter (the table holds ${capacity}); counters that exist go on`,
  )
}

/** Locks are always taken in ascending order, so two decisions cannot wait for each other. */
function inLockOrder(plans: readonly Plan[]): Cell[] {
  const cells: Cell[] = []
  // Minute, month and day are the usual case, and sorting them otherwise would be half of its time.
  for (const { cell } of plans) {
    if (cells.includes(cell)) continue
    const later = cells.findIndex(({ bucket }) => bucket > cell.bucket)
    if (later < 0) cells.push(cell)
    else cells.splice(later, 0, cell)
  }
  return cells
}

function isTaken(slot: number, plans: readonly Plan[]): boolean {
  for (const { cell } of plans) if (cell.slot === slot) return true
  return false
}

function isKept({ step, tried }: Plan, allowed: boolean): boolean {
  return tried && (allowed || step.keepRefused === true)
}

function missingAnswer(name: string, nowMs: number): CounterAnswer {
  return { results: [], allowed: false, missing: name, nowMs }
}

function resultsOf(plans: readonly Plan[]): CounterResult[] {
  const results: CounterResult[] = []
  for (const { step, cell, tried, refused } of plans) {
    if (!tried) break
    const { count: value, endsAtMs, epoch } = cell
    results.push({ name: step.name, allowed: !refused, value, endsAtMs, epoch })
  }
  return results
}
