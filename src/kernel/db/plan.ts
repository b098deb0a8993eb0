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
  /** Its rows are wanted. */
  readonly returns: boolean
}

export type ReturnedRows = readonly Readonly<Record<string, unknown>>[]

/** What came of a plan: `returned` has the rows of each step that returns some. */
export type Carried =
  | { readonly isDone: false }
  | { readonly isDone: true; readonly returned: readonly ReturnedRows[] }

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
  const guards: PlannedStep[] = []
  const changes: PlannedStep[] = []
  const wanted: { rows?: ReturnedRows | undefined }[] = []
  const props = propsOf(reader, { executeQuery, streamQuery })
  const trx: Transaction<AnyTables> = new PlanTransaction(props, executeQuery)
  const tx: Tx = {
    as: <Tables>() => trx as Transaction<Tables>,
    isPlan: true,
    afterCommit,
    guard: (query) => void guards.push(toStep(query.compile(), { must: true })),
    returning,
    savepoint: () => Promise.reject(new NeedsTransaction()),
  }
  plans.set(tx, ({ query, mustChange = false, isEvent = false, afterCommit: work }) => {
    add(query.compile(), { must: mustChange, isEvent })
    if (work) afterCommit(work)
  })
  return { tx, steps, finish }

  /** Guards come first: one that fails then leaves nothing to undo. */
  function steps(): readonly PlannedStep[] {
    return [...guards, ...changes]
  }

  async function executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (isRead(query)) return read(query)
    if ('returning' in query.query && query.query.returning) {
      throw new Error('a plan cannot wait for what a change returns')
    }
    add(query, {})
    return { rows: [], numAffectedRows: 0n }
  }

  async function returning<Row>(query: Compilable<Row>): Promise<() => readonly Row[]> {
    const own: { rows?: ReturnedRows | undefined } = {}
    wanted.push(own)
    add(query.compile(), { returns: true })
    return () => {
      if (!own.rows) throw new Error('the plan was not carried out')
      return own.rows as readonly Row[]
    }
  }

  function add(query: CompiledQuery, flags: Partial<PlannedStep>) {
    changes.push(toStep(query, flags))
  }

  /** Gives those who asked for rows theirs. */
  function finish(returned: readonly ReturnedRows[]) {
    for (const [at, each] of wanted.entries()) each.rows = returned[at]
  }
}

function toStep({ sql, parameters }: CompiledQuery, flags: Partial<PlannedStep>): PlannedStep {
  return { sql, params: parameters, must: false, isEvent: false, returns: false, ...flags }
}

/** Adds steps to a plan; false when it is none. */
export function addToPlan(tx: Tx, steps: readonly WriteStep[]): boolean {
  const add = plans.get(tx)
  if (add) steps.forEach(add)
  return add !== undefined
}

export function toPlanned({ query, mustChange = false, isEvent = false }: WriteStep): PlannedStep {
  return toStep(query.compile(), { must: mustChange, isEvent })
}

function isRead({ query, sql }: CompiledQuery): boolean {
  if (query.kind === 'RawNode') return READS.test(sql)
  return query.kind === 'SelectQueryNode'
}

function streamQuery(): never {
  throw new Error('stream from the reader, not from a plan')
}

type Execute = <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>

/** A statement that is compiled already needs nothing of what Kysely does around one. */
class PlanTransaction extends Transaction<AnyTables> {
  readonly #execute: Execute

  constructor(props: KyselyProps, execute: Execute) {
    super(props)
    this.#execute = execute
  }

  override executeQuery<Row>(query: CompiledQuery<Row> | Compilable<Row>) {
    return this.#execute<Row>('compile' in query ? query.compile() : query)
  }
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
