import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely'
import type { Ask } from '../ask.ts'
import type { AnyTables } from '../database.ts'
import type { CarryOut } from '../plan.ts'
import type { MayWrite } from '../write-gate.ts'
import type { Rows, StorageClient } from './client.ts'
import { SignedLimitCompiler } from './compiler.ts'
import { toCell } from './plan-sender.ts'
import type { FileName, SqlValue } from './protocol.ts'

export type QueryKind = 'read' | 'scan' | 'write'

/** A Kysely whose connections are message ports to the storage threads. */
export function createSqliteKysely(
  client: StorageClient,
  file: FileName,
  kind: QueryKind,
  mayWrite: MayWrite = async () => {},
): Kysely<AnyTables> {
  const dialect: Dialect = {
    createAdapter: () => new StorageThreadAdapter(),
    createDriver: () =>
      kind === 'write' ? writeDriver(client, file, mayWrite) : readDriver(client, file, kind),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SignedLimitCompiler(),
  }
  return new Kysely({ dialect })
}

export function sqliteAsk(client: StorageClient, file: FileName): Ask {
  return (batch, parameters, kind) => client.ask(file, kind, batch, parameters.map(bound))
}

/** What plans read, beside everybody else's reads. */
export function sqliteRead(client: StorageClient, file: FileName) {
  return async (query: CompiledQuery): Promise<QueryResult<AnyTables>> =>
    toResult(await client.read(file, 'read', query.sql, bound(query.parameters)))
}

export function sqliteCarryOut(
  client: StorageClient,
  file: FileName,
  mayWrite: MayWrite,
): CarryOut {
  return async (steps) => {
    const closed = mayWrite()
    if (closed) await closed
    // From here on it waits for nothing of this thread, which may be busy for long.
    const { done, columns, rows } = await client.carryOut(file, steps)
    if (!done) return { isDone: false }
    return { isDone: true, returned: rows.map((cells, at) => rowsIn(columns[at] ?? '[]', cells)) }
  }
}

/** The rows of a step, whose cells travel as one list. */
function rowsIn(names: string, cells: readonly SqlValue[]): Record<string, SqlValue>[] {
  const columns: string[] = JSON.parse(names)
  const count = cells.length / Math.max(1, columns.length)
  return Array.from({ length: count }, (_, at) =>
    objectOf(columns, cells.slice(at * columns.length, (at + 1) * columns.length)),
  )
}

/** Without this Kysely would let only one query of a handle run at a time, as for a plain file. */
class StorageThreadAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true
  }
}

interface WriteConnection extends DatabaseConnection {
  readonly session: number
  inTransaction: boolean
}

function writeDriver(client: StorageClient, file: FileName, mayWrite: MayWrite): Driver {
  const sessionOf = (connection: DatabaseConnection) => connection as WriteConnection
  return {
    async init() {},
    async acquireConnection() {
      await mayWrite()
      const connection: WriteConnection = {
        session: client.session(),
        inTransaction: false,
        async executeQuery<R>(query: CompiledQuery) {
          const { session, inTransaction } = connection
          const params = bound(query.parameters)
          return toResult<R>(await client.write(file, session, inTransaction, query.sql, params))
        },
        streamQuery: neverStreamed,
      }
      return connection
    },
    async beginTransaction(connection) {
      await client.begin(file, sessionOf(connection).session)
      sessionOf(connection).inTransaction = true
    },
    async commitTransaction(connection) {
      sessionOf(connection).inTransaction = false
      await client.finish(file, sessionOf(connection).session, 'commit')
    },
    async rollbackTransaction(connection) {
      sessionOf(connection).inTransaction = false
      await client.finish(file, sessionOf(connection).session, 'rollback')
    },
    async releaseConnection() {},
    async destroy() {},
  }
}

function readDriver(client: StorageClient, file: FileName, kind: 'read' | 'scan'): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery) {
      return toResult<R>(await client.read(file, kind, query.sql, bound(query.parameters)))
    },
    streamQuery: neverStreamed,
  }
  const refuse = async () => {
    throw new Error('a reader has no transactions')
  }
  return {
    async init() {},
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    async releaseConnection() {},
    async destroy() {},
  }
}

/** What is long is read in pages: a stream would keep its snapshot, and its connection, for as long as somebody listens. */
function neverStreamed(): never {
  throw new Error('nothing is streamed from the database; read it in pages')
}

function bound(parameters: readonly unknown[]): SqlValue[] {
  return parameters.map(toCell)
}

/** Rows travel as arrays, which clone faster than objects with the same names in each. */
function toResult<R>({ columns, rows, changes, lastId }: Rows): QueryResult<R> {
  return {
    rows: rows.map((row) => objectOf(columns, row)) as R[],
    numAffectedRows: BigInt(changes),
    ...(lastId === null ? {} : { insertId: BigInt(lastId) }),
  }
}

function objectOf(columns: readonly string[], row: readonly SqlValue[]) {
  const object: Record<string, SqlValue> = {}
  for (let i = 0; i < columns.length; i++) object[columns[i] as string] = row[i] ?? null
  return object
}
