import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { createLru } from '../../lru.ts'
import { type AskStep, type Cells, feed } from '../ask.ts'
import { addFunctions } from './functions.ts'
import { renderList } from './list.ts'
import type { SharedNumbers } from './numbers.ts'
import { DEADLINE_TEXT, type Reply, type SqlValue } from './protocol.ts'

interface Prepared {
  readonly statement: StatementSync
  readonly columns: readonly string[]
}

const STATEMENTS_KEPT = 500
/**
 * A plan of a hundred entries touches more pages than SQLite keeps by itself (2 MB): it would write them before the
 * commit, and read them again for the next plan.
 */
const WRITER_CACHE_KIB = 8_000
/** By SQLite's own 1,000 pages every few commits of an import would end in a checkpoint, which writes most pages twice. */
const CHECKPOINT_PAGES = 2_000
const ROWS_KEPT = 500
const SCHEMA_CHANGE = /^\s*(create|alter|drop)\b/i

export type Result = Omit<Extract<Reply, { rows: unknown }>, 'id'>

interface Options {
  readonly readOnly: boolean
  readonly schemaEpoch: Int32Array
  readonly numbers: SharedNumbers
}

/** One SQLite connection with its prepared statements; lives and dies inside a storage thread. */
export function openConnection(path: string, { readOnly, schemaEpoch, numbers }: Options) {
  const db = new DatabaseSync(path, { readOnly, timeout: 5000 })
  const cache = createLru<string, Prepared>(STATEMENTS_KEPT)
  const kept = createLru<string, readonly Cells[]>(ROWS_KEPT)
  let keptVersion: unknown
  let cachedEpoch = Atomics.load(schemaEpoch, 0)
  let deadlineMs = Number.POSITIVE_INFINITY

  // FULL: an acknowledged write survives power loss (DESIGN §4).
  if (!readOnly) db.exec('pragma journal_mode = wal; pragma synchronous = full')
  if (!readOnly) {
    db.exec(`pragma cache_size = -${WRITER_CACHE_KIB}`)
    db.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  }
  db.exec('pragma foreign_keys = on; pragma temp_store = memory')
  db.function('within_deadline', { varargs: true }, () => {
    if (performance.now() > deadlineMs) throw new Error(DEADLINE_TEXT)
    return 1
  })
  addFunctions(db)
  // In a read, too: taking a number changes no file.
  db.function('take_numbers', (slot, stored, count) =>
    numbers.take(Number(slot), Number(stored), Number(count)),
  )
  db.function('forget_numbers', (slot) => numbers.forget(Number(slot)))

  return {
    ...{ run, step, ask },
    exec: (sql: string) => db.exec(sql),
    isInTransaction: () => db.isTransaction,
    close: () => db.close(),
  }

  function run(sql: string, params: readonly SqlValue[], timeoutMs: number): Result {
    const { statement, columns } = prepared(sql)
    deadlineMs = performance.now() + timeoutMs
    if (columns.length > 0) {
      const rows = rowsOf(statement.all(...bindable(params)))
      return { columns, rows, changes: rows.length, lastId: null, done: true }
    }
    const { changes, lastInsertRowid } = statement.run(...bindable(params))
    if (SCHEMA_CHANGE.test(sql)) Atomics.add(schemaEpoch, 0, 1)
    return {
      columns,
      rows: [],
      changes: Number(changes),
      lastId: Number(lastInsertRowid),
      done: true,
    }
  }

  /** A statement without parameters and rows, prepared. */
  function step(sql: string): void {
    prepared(sql).statement.run()
  }

  /** All steps see one moment, and end at one deadline. */
  function ask(
    steps: readonly AskStep[],
    parameters: readonly (readonly SqlValue[])[],
    timeoutMs: number,
  ): (readonly Cells[])[] {
    deadlineMs = performance.now() + timeoutMs
    if (steps.length === 1) return answersOf(steps, parameters)
    prepared('begin').statement.run()
    try {
      return answersOf(steps, parameters)
    } finally {
      if (db.isTransaction) prepared('commit').statement.run()
    }
  }

  function answersOf(
    steps: readonly AskStep[],
    parameters: readonly (readonly SqlValue[])[],
  ): (readonly Cells[])[] {
    const answers: (readonly Cells[])[] = []
    for (const [at, step] of steps.entries()) {
      const given = feed(step, parameters[at] ?? [], answers, renderList)
      const find = step.isKept ? keptRows : rowsFor
      answers.push(given ? find(step.sql, given) : [])
    }
    return answers
  }

  function rowsFor(sql: string, given: readonly SqlValue[]): readonly Cells[] {
    return rowsOf(prepared(sql).statement.all(...bindable(given)))
  }

  /** The version is another one after every commit of others, and a reader commits nothing itself. */
  function keptRows(sql: string, given: readonly SqlValue[]): readonly Cells[] {
    const version = rowsFor('pragma data_version', [])[0]?.[0]
    if (version !== keptVersion) kept.clear()
    keptVersion = version
    const key = `${sql} ${renderList(given)}`
    return kept.find(key) ?? kept.keep(key, rowsFor(sql, given))
  }

  function prepared(sql: string): Prepared {
    const epoch = Atomics.load(schemaEpoch, 0)
    if (epoch !== cachedEpoch) {
      cache.clear()
      cachedEpoch = epoch
    }
    return cache.find(sql) ?? cache.keep(sql, prepare(sql))
  }

  function prepare(sql: string): Prepared {
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    const columns = statement.columns().map((column) => column.name)
    // Tables within a text index have rows whose numbers are no safe integers, and the last one is told of any change.
    if (columns.length === 0) statement.setReadBigInts(true)
    return { statement, columns }
  }
}

export type Connection = ReturnType<typeof openConnection>

function bindable(params: readonly SqlValue[]): SQLInputValue[] {
  return params as SQLInputValue[]
}

/** `setReturnArrays` changes what `all` returns; its type does not know it. */
function rowsOf(rows: unknown): SqlValue[][] {
  return rows as SqlValue[][]
}
