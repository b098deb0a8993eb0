import { type CompiledQuery, type Kysely, type QueryResult, sql, type Transaction } from 'kysely'
import { unavailable } from '../errors.ts'
import type { Log } from '../log.ts'
import { createSlots } from '../queues/slots.ts'
import type { Ask } from './ask.ts'
import type { AnyTables, Database, LongRead, Store, Times, Tx, WriteStep } from './database.ts'
import { addToPlan, type CarryOut, createPlan, NeedsTransaction, toPlanned } from './plan.ts'

interface Parts {
  readonly reader: Kysely<AnyTables>
  readonly scanner: Kysely<AnyTables>
  readonly writer: Kysely<AnyTables>
  readonly ask: Ask
  /** So many reads that may take long are sent to the database; the others wait here, where they can take turns. */
  readonly longReads: Readonly<Record<LongRead, number>>
  mark(): bigint | undefined
  /** What plans read. */
  read(query: CompiledQuery): Promise<QueryResult<AnyTables>>
  readonly carryOut: CarryOut
  /** Another writer was quicker: planned again, the write can succeed. */
  isLostRace(error: unknown): boolean
  /** The statement does not fit the tables as they are now. */
  isMisfit(error: unknown): boolean
  readonly log: Log
}

type Work = () => void | Promise<void>

const LONG_READS_WAIT = {
  ms: 30_000,
  refusal: () => unavailable('storage_unavailable', 'Others are searching; try again'),
}

/** A guard that fails again and again: the write is then done alone. */
const PLANS = 3

/** Adds writes that span modules to the ways of asking a database. */
export function createStore(parts: Parts): Store {
  const { reader, scanner, writer, ask, mark, log } = parts
  const own = new WeakSet<Tx>()
  const times = { read: { count: 0, ms: 0 }, write: { count: 0, ms: 0 } }
  const longReads = {
    try: createSlots(parts.longReads.try, LONG_READS_WAIT),
    scan: createSlots(parts.longReads.scan, LONG_READS_WAIT),
  }
  let asked = 0
  return {
    ...{ reader, scanner, writer, ask: counted, mark, asked: () => asked, times },
    inTurn: (kind, asker, read) => longReads[kind].run(read, asker),
    ...{ transaction, write, carryOut },
  }

  function counted(...[batch, parameters, kind]: Parameters<Ask>) {
    asked += batch.steps.length
    return timed(times.read, ask(batch, parameters, kind))
  }

  async function transaction<T>(tx: Tx | undefined, work: (tx: Tx) => Promise<T>): Promise<T> {
    if (tx) {
      if (!own.has(tx)) throw new Error('this transaction belongs to another store')
      return work(tx)
    }
    const later: Work[] = []
    const transacted = writer.transaction().execute((trx) => {
      const fresh = createTx(trx, later)
      own.add(fresh)
      return work(fresh)
    })
    const result = await timed(times.write, transacted)
    await runAll(later)
    return result
  }

  async function write<T>(work: (tx: Tx) => Promise<() => T>): Promise<T> {
    for (let plan = 1; plan <= PLANS; plan++) {
      const done = await once(work)
      if (done === 'alone') break
      if (done) return done.result()
    }
    return transaction(undefined, async (tx) => (await work(tx))())
  }

  /** Undefined when it has to be planned again. */
  async function once<T>(
    work: (tx: Tx) => Promise<() => T>,
  ): Promise<{ result(): T } | 'alone' | undefined> {
    const later: Work[] = []
    const afterCommit = (each: Work) => void later.push(each)
    const { read } = parts
    const { tx, steps, finish } = createPlan({ reader, read, afterCommit })
    own.add(tx)
    try {
      const result = await work(tx)
      const returned = await returnedBy(steps())
      if (!returned) return undefined
      finish(returned)
      await runAll(later)
      return { result }
    } catch (error) {
      // Tables that change while a plan is made: alone, the work finds out before it reads them.
      if (error instanceof NeedsTransaction || parts.isMisfit(error)) return 'alone'
      throw error
    }
  }

  async function returnedBy(steps: Parameters<CarryOut>[0]) {
    if (steps.length === 0) return []
    try {
      const carried = await timed(times.write, parts.carryOut(steps))
      return carried.isDone ? carried.returned : undefined
    } catch (error) {
      if (parts.isLostRace(error)) return undefined
      throw error
    }
  }

  async function carryOut(steps: readonly WriteStep[]): Promise<boolean> {
    const carried = await timed(times.write, parts.carryOut(steps.map(toPlanned)))
    if (!carried.isDone) return false
    await runAll(steps.flatMap(({ afterCommit }) => afterCommit ?? []))
    return true
  }

  async function runAll(works: readonly Work[]) {
    for (const work of works) {
      try {
        await work()
      } catch (error) {
        log.error({ err: error }, 'work after a commit failed')
      }
    }
  }
}

/** Adds how long it took, whatever comes of it. */
async function timed<T>(to: Times, work: Promise<T>): Promise<T> {
  const startedMs = performance.now()
  try {
    return await work
  } finally {
    to.count++
    to.ms += performance.now() - startedMs
  }
}

export function timesOf(...stores: readonly Store[]): Database['times'] {
  return () =>
    stores.flatMap(({ times }) => [['read', times.read] as const, ['write', times.write] as const])
}

function createTx(trx: Transaction<AnyTables>, later: Work[]): Tx {
  let depth = 0
  return {
    as: <Tables>() => trx as Transaction<Tables>,
    isPlan: false,
    guard: () => {},
    ...{ afterCommit, returning, savepoint },
  }

  function afterCommit(work: Work) {
    later.push(work)
  }

  async function returning<Row>(query: { compile(): CompiledQuery<Row> }) {
    const { rows } = await trx.executeQuery(query.compile())
    return () => rows
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

/** The same steps as part of a transaction or plan, for what is done within others as well as alone. */
export async function carryOutIn(tx: Tx, steps: readonly WriteStep[]): Promise<boolean> {
  if (addToPlan(tx, steps)) return true
  const trx = tx.as<AnyTables>()
  for (const { query, mustChange } of steps) {
    const { numAffectedRows } = await trx.executeQuery(query)
    if (mustChange && !numAffectedRows) return false
  }
  for (const { afterCommit } of steps) if (afterCommit) tx.afterCommit(afterCommit)
  return true
}
