import { type Kysely, sql, type Transaction } from 'kysely'
import type { Log } from '../log.ts'
import type { Ask } from './ask.ts'
import type { AnyTables, Store, Tx, WriteStep } from './database.ts'

interface Parts {
  readonly reader: Kysely<AnyTables>
  readonly scanner: Kysely<AnyTables>
  readonly writer: Kysely<AnyTables>
  readonly ask: Ask
  readonly carryOut: CarryOut
  readonly log: Log
}

/** Whether all steps were carried out; none of them else. */
export type CarryOut = (steps: readonly WriteStep[]) => Promise<boolean>

type Work = () => void | Promise<void>

/** Adds transactions that span modules to the three ways of asking a database. */
export function createStore({ reader, scanner, writer, ask, carryOut, log }: Parts): Store {
  const own = new WeakSet<Tx>()
  let asked = 0
  return {
    ...{ reader, scanner, writer, ask: counted, asked: () => asked, transaction },
    carryOut: carryOutSteps,
  }

  function counted(...[batch, parameters, kind]: Parameters<Ask>) {
    asked += batch.steps.length
    return ask(batch, parameters, kind)
  }

  async function transaction<T>(tx: Tx | undefined, work: (tx: Tx) => Promise<T>): Promise<T> {
    if (tx) {
      if (!own.has(tx)) throw new Error('this transaction belongs to another store')
      return work(tx)
    }
    const later: Work[] = []
    const result = await writer.transaction().execute((trx) => {
      const fresh = createTx(trx, later)
      own.add(fresh)
      return work(fresh)
    })
    for (const each of later) await afterwards(each)
    return result
  }

  async function carryOutSteps(steps: readonly WriteStep[]): Promise<boolean> {
    if (!(await carryOut(steps))) return false
    for (const { afterCommit } of steps) if (afterCommit) await afterwards(afterCommit)
    return true
  }

  async function afterwards(work: Work) {
    try {
      await work()
    } catch (error) {
      log.error({ err: error }, 'work after a commit failed')
    }
  }
}

function createTx(trx: Transaction<AnyTables>, later: Work[]): Tx {
  let depth = 0
  return { as: <Tables>() => trx as Transaction<Tables>, afterCommit, savepoint }

  function afterCommit(work: Work) {
    later.push(work)
  }

  async function savepoint<T>(work: () => Promise<T>): Promise<T> {
    const name = sql.id(`s${++depth}`)
    const before = later.length
    await sql`savepoint ${name}`.execute(trx)
    try {
      const result = await work()
      await sql`release savepoint ${name}`.execute(trx)
      return result
    } catch (error) {
      later.length = before
      await sql`rollback to savepoint ${name}`.execute(trx)
      throw error
    } finally {
      depth--
    }
  }
}

/** The same steps as part of a transaction, for what is done within others as well as alone. */
export async function carryOutIn(tx: Tx, steps: readonly WriteStep[]): Promise<boolean> {
  if (!(await runSteps(tx.as<AnyTables>(), steps))) return false
  for (const { afterCommit } of steps) if (afterCommit) tx.afterCommit(afterCommit)
  return true
}

/** For databases that other connections can write to meanwhile: one statement after the other. */
export function carryOutBy(writer: Kysely<AnyTables>): CarryOut {
  return async (steps) => {
    try {
      await writer.transaction().execute(async (trx) => {
        if (!(await runSteps(trx, steps))) throw new NothingChanged()
      })
      return true
    } catch (error) {
      if (error instanceof NothingChanged) return false
      throw error
    }
  }
}

class NothingChanged extends Error {}

async function runSteps(
  trx: Transaction<AnyTables>,
  steps: readonly WriteStep[],
): Promise<boolean> {
  for (const { query, mustChange } of steps) {
    const { numAffectedRows } = await trx.executeQuery(query)
    if (mustChange && !numAffectedRows) return false
  }
  return true
}
