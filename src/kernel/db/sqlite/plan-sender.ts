import type { MessagePort } from 'node:worker_threads'
import { createLru } from '../../lru.ts'
import type { PlannedStep } from '../plan.ts'
import type { Channel } from './channel.ts'
import { StorageError } from './errors.ts'
import {
  type FileName,
  MUST,
  type PlanRequest,
  RETURNS,
  type SqlValue,
  UNKNOWN_STATEMENT,
} from './protocol.ts'

/** The thread keeps twice as many, so that it never forgets one that is known here. */
export const STATEMENTS_NUMBERED = 1_000

/** Sends plans to the writer, the text of each statement once. */
export function createPlanSender(writer: Pick<Channel, 'sendPlan' | 'port'>) {
  const numbers = createLru<string, number>(STATEMENTS_NUMBERED)
  const told = new WeakMap<MessagePort, Set<number>>()
  let last = 0
  return { carryOut }

  /** `done` of the answer says whether it happened; its rows are those of each step that returns some. */
  async function carryOut(file: FileName, steps: readonly PlannedStep[]) {
    try {
      return await writer.sendPlan(toRequest(file, steps, toldTo(writer.port())))
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== UNKNOWN_STATEMENT) throw error
      // Its thread was replaced while it was under way; nothing of it has happened.
      return writer.sendPlan(toRequest(file, steps, new Set()))
    }
  }

  /** What this thread was told; another one knows nothing yet. */
  function toldTo(port: MessagePort): Set<number> {
    const known = told.get(port) ?? new Set()
    told.set(port, known)
    // Numbers that were given up would stay for ever; those in use are told again.
    if (known.size > 2 * STATEMENTS_NUMBERED) known.clear()
    return known
  }

  function toRequest(
    file: FileName,
    steps: readonly PlannedStep[],
    known: Set<number>,
  ): Omit<PlanRequest, 'id'> {
    const texts: (number | string)[] = []
    const cells: SqlValue[] = []
    let hasEvents = false
    for (const { sql, params, must, returns, isEvent } of steps) {
      const number = numbers.find(sql) ?? numbers.keep(sql, ++last)
      if (!known.has(number)) texts.push(number, sql)
      known.add(number)
      cells.push(number, (must ? MUST : 0) | (returns ? RETURNS : 0), params.length)
      for (const value of params) cells.push(toCell(value))
      hasEvents ||= isEvent
    }
    return { file, texts, cells, hasEvents }
  }
}

export function toCell(value: unknown): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  return (value ?? null) as SqlValue
}
