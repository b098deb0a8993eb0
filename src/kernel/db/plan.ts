import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type KyselyProps,
  type QueryResult,
  Transaction,
} from 'kysely'
import type { AnyTables, Tx, WriteStep } from './database.ts'

/** A statement of a plan, as it travels to the database. */
export interface PlannedStep {
  readonly sql: string
  readonly params: readonly unknown[]
  /** Unless it touches a row, nothing of the plan happens. */
  readonly must: boolean
  readonly isEvent: boolean
  /** Its first row is wanted. */
  readonly returns: boolean
}

/** What came of a plan: `first` has the first row of each step that returns one. */
export type Carried =
  | { readonly isDone: false }
  | { readonly isDone: true; readonly first: readonly Readonly<Record<string, unknown>>[] }

/** Carries a plan out, whole or not at all. Not done: a step that must touch a row did not. */
export type CarryOut = (steps: readonly PlannedStep[]) => Promise<Carried>

/** Thrown by work that has to read its own changes, or to hold more than a plan may. */
export class NeedsTransaction extends Error {
  constructor() {
    super('this can be done in a transaction only')
  }
}

interface Deps {
  /** Compiles as the database wants it, and reads. */
  readonly reader: Kysely<AnyTables>
  read(query: CompiledQuery): Promise<QueryResult<AnyTables>>
  afterCommit(work: () => void | Promise<void>): void
}

const READS = /^\s*(select|with\s+recursive)\b/i
const plans = new WeakMap<Tx, (step: WriteStep) => void>()

/**
 * A write that is put together before it happens. Modules use it as they use a transaction: selects are
 * answered by readers, changes are collected.
 */
export function createPlan({ reader, read, afterCommit }: Deps) {
  const steps: PlannedStep[] = []
  const wanted: { row?: Readonly<Record<string, unknown>> | undefined }[] = []
  const trx = new Transaction<AnyTables>(propsOf(reader, { executeQuery, streamQuery }))
  const tx: Tx = {
    as: <Tables>() => trx as Transaction<Tables>,
    isPlan: true,
    afterCommit,
    guard: (query) => add(query.compile(), { must: true }),
    returning,
    savepoint: () => Promise.reject(new NeedsTransaction()),
  }
  plans.set(tx, ({ query, mustChange = false, isEvent = false, afterCommit: work }) => {
    add(query.compile(), { must: mustChange, isEvent })
    if (work) afterCommit(work)
  })
  return { tx, steps, finish }

  async function executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (isRead(query)) return read(query)
    if ('returning' in query.query && query.query.returning) {
      throw new Error('a plan cannot wait for what a change returns')
    }
    add(query, {})
    return { rows: [], numAffectedRows: 0n }
  }

  async function returning<Row>(query: Compilable<Row>): Promise<() => Row> {
    const own: { row?: Readonly<Record<string, unknown>> | undefined } = {}
    wanted.push(own)
    add(query.compile(), { returns: true })
    return () => {
      if (!own.row) throw new Error('the plan was not carried out')
      return own.row as Row
    }
  }

  function add({ sql, parameters }: CompiledQuery, flags: Partial<PlannedStep>) {
    steps.push({
      ...{ sql, params: parameters, must: false, isEvent: false, returns: false },
      ...flags,
    })
  }

  /** Gives those who asked for a row theirs. */
  function finish(first: readonly Readonly<Record<string, unknown>>[]) {
    for (const [at, each] of wanted.entries()) each.row = first[at]
  }
}

/** Adds steps to a plan; false when it is none. */
export function addToPlan(tx: Tx, steps: readonly WriteStep[]): boolean {
  const add = plans.get(tx)
  if (add) steps.forEach(add)
  return add !== undefined
}

export function toPlanned({ query, mustChange = false, isEvent = false }: WriteStep): PlannedStep {
  const { sql, parameters } = query.compile()
  return { sql, params: parameters, must: mustChange, isEvent, returns: false }
}

function isRead({ query, sql }: CompiledQuery): boolean {
  if (query.kind === 'RawNode') return READS.test(sql)
  return query.kind === 'SelectQueryNode'
}

function streamQuery(): never {
  throw new Error('stream from the reader, not from a plan')
}

/** The parts of a Kysely that a plan replaces: only its executor is ever used. */
function propsOf(reader: Kysely<AnyTables>, connection: DatabaseConnection): KyselyProps {
  const executor = reader.getExecutor().withConnectionProvider({
    provideConnection: (consumer) => consumer(connection),
  })
  const unused = {}
  const dialect = unused as Dialect
  return { config: { dialect }, driver: unused as Driver, executor, dialect }
}
