import { type Driver, Kysely, PostgresDialect, type PostgresDialectConfig, sql } from 'kysely'
import type { ClientBase } from 'pg'
import type { Clock } from '../clock.ts'
import { OperatorError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { AnyTables, Database } from './database.ts'
import { isList, type SqlDialect } from './dialect.ts'
import { postgresAsk } from './postgres-ask.ts'
import type { Connections } from './postgres-connections.ts'
import { postgresCounts } from './postgres-counts.ts'
import { openPlans, postgresRead } from './postgres-plan.ts'
import { isInUse, orderly, whileFull } from './postgres-pool.ts'
import { trigramTextIndex } from './postgres-text-index.ts'
import { BUILDER, NAME, watchServer } from './postgres-watch.ts'
import { nativeSequences } from './sequences.ts'
import { createStore, timesOf } from './store.ts'
import { WORD_PATTERN } from './words.ts'
import type { MayWrite } from './write-gate.ts'

export interface PostgresDeps {
  readonly url: string
  /** Where the URL was given. */
  readonly urlFrom: string
  readonly clock: Clock
  readonly log: Log
  readonly connections: Connections
  readonly timeouts: { readonly readMs: number; readonly scanMs: number }
  readonly mayWrite: MayWrite
}

const WRITE_TIMEOUT_MS = 60_000
const CONNECT_TIMEOUT_MS = 5_000
/** That other writers have all connections is no sign that the database is away; on SQLite they wait, too. */
const WRITERS_WAIT_MS = 30_000
const IDLE_MS = 10_000
const KEPT = 0
/** Connections that reads which may take long leave to others. */
const SHORT_READS = 2
const INT8 = 20
/** No such table, no such column. */
const MISFITS = new Set(['42P01', '42703'])
const ARRAY_TYPES = {
  text: sql`text[]`,
  integer: sql`bigint[]`,
  double: sql`double precision[]`,
} as const

/** PostgreSQL is the truth of an installation with several processes; it needs no storage threads. */
export async function openPostgres(deps: PostgresDeps): Promise<Database> {
  const { clock, timeouts, log, connections } = deps
  const { openPool, openClient } = await loadPools(deps)
  const { mayWrite } = deps
  const writers = openPool(connections.writer, WRITE_TIMEOUT_MS, {
    ...{ mayWrite, waitMs: WRITERS_WAIT_MS },
  })
  const readers = openPool(connections.reader, timeouts.readMs)
  const scanners = openPool(connections.scanner, timeouts.scanMs)
  const questions = openPool(connections.questions, timeouts.readMs, { isByKeys: true })
  const writer = writers.db
  try {
    await sql`select 1`.execute(writer)
  } catch (error) {
    await close()
    throw new OperatorError(
      `The database of ${deps.urlFrom} does not answer: ${reason(error)}. Is PostgreSQL running, and are host, name, user and password right?`,
      error,
    )
  }
  const dialect = postgresDialect(clock)
  const plans = openPlans({
    connections: connections.plans,
    idleMs: IDLE_MS,
    connect: () => whileFull(() => openClient(WRITE_TIMEOUT_MS), CONNECT_TIMEOUT_MS),
  })
  const store = createStore({
    reader: readers.db,
    scanner: scanners.db,
    writer,
    ask: postgresAsk({ read: readers.pool, scan: scanners.pool }),
    longReads: { try: Math.max(1, connections.reader - SHORT_READS), scan: connections.scanner },
    mark: () => undefined,
    read: postgresRead(questions.pool),
    async carryOut(steps) {
      await mayWrite()
      return plans.carryOut(steps)
    },
    isLostRace: (error) => dialect.isUniqueViolation(error) || dialect.isDeadlock(error),
    isMisfit: (error) => MISFITS.has(codeOf(error)),
    log,
  })
  return { dialect, main: store, aux: store, times: timesOf(store), close: closeAll }

  async function closeAll() {
    await Promise.all([plans.close(), close()])
  }

  async function close() {
    const pools = [writers, readers, scanners, questions]
    await Promise.all(pools.map((pool) => pool.close()))
  }
}

interface PoolOptions {
  readonly idleMs?: number
  /** For a connection that others use. */
  readonly waitMs?: number
  /** Of connections that write. */
  readonly mayWrite?: MayWrite
  /** All that is asked is found by keys. */
  readonly isByKeys?: boolean
}

/** One connection for one purpose: opened when it is first used, and kept. */
export async function openConnection(deps: Pick<PostgresDeps, 'url' | 'log'>) {
  const { openPool } = await loadPools(deps)
  return openPool(1, WRITE_TIMEOUT_MS, { idleMs: KEPT })
}

/**
 * How many the server allows for whoever asks. Unknown while it does not answer, which is told by what is asked next.
 */
export async function allowedConnections(url: string): Promise<number> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    ...{ connectionString: url, application_name: NAME },
    ...{ connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: CONNECT_TIMEOUT_MS },
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ allowed: number }>(`select least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
    ) as allowed`)
    return rows[0]?.allowed ?? Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  } finally {
    await client.end().catch(() => {})
  }
}

async function loadPools({ url, log }: Pick<PostgresDeps, 'url' | 'log'>) {
  const { default: pg } = await import('pg')
  return { openPool, openClient }

  function settingsOf(statementTimeoutMs: number) {
    return {
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: 10_000,
      keepAlive: true,
      application_name: NAME,
      types: { getTypeParser },
    }
  }

  /**
   * Sends what it is asked without waiting for the answers before. All of it is found by keys, so that a plan for any
   * values is as good as one for these, and each statement is planned once.
   */
  async function openClient(statementTimeoutMs: number) {
    const client = new pg.Client({ ...settingsOf(statementTimeoutMs), pipeline: true })
    client.on('error', (error) => log.warn({ err: error }, 'a database connection broke'))
    await client.connect()
    watchServer(client, statementTimeoutMs)
    await client.query('set plan_cache_mode = force_generic_plan')
    await preferKeys(client)
    return client
  }

  /**
   * Of a table that is empty when a statement is planned PostgreSQL would decide to read all of it, for as long as
   * nobody has counted its rows anew.
   */
  async function preferKeys(client: Pick<ClientBase, 'query'>) {
    await client.query('set enable_seqscan = off')
    // Where all of a table has to be read nevertheless, that would look expensive enough to be compiled.
    await client.query('set jit = off')
  }

  function openPool(max: number, statementTimeoutMs: number, options: PoolOptions = {}) {
    const { idleMs: idleTimeoutMillis = IDLE_MS, waitMs = CONNECT_TIMEOUT_MS, mayWrite } = options
    const prepare = options.isByKeys ? { onConnect: preferKeys } : {}
    const settings = settingsOf(statementTimeoutMs)
    // The pool takes one figure for both, waiting and connecting.
    class Client extends pg.Client {
      constructor() {
        super(settings)
      }
    }
    // The last one is kept: on a server that is full there may be no other.
    const waiting = { connectionTimeoutMillis: waitMs, idleTimeoutMillis, min: 1 }
    const pool = orderly(new pg.Pool({ ...settings, ...waiting, ...prepare, max, Client }))
    // Without a listener an idle connection that breaks would end the process.
    pool.on('error', (error) => log.warn({ err: error }, 'a database connection broke'))
    // The same for one in use, where the pool does not listen; its query fails with the error.
    pool.on('connect', (client) => {
      client.on('error', () => {})
      watchServer(client, statementTimeoutMs)
    })
    const dialect = new GatedDialect({ pool }, mayWrite)
    return { pool, db: new Kysely<AnyTables>({ dialect }), close: () => pool.end() }
  }

  /** Our 64-bit integers stay below 2^53, so they are numbers as on SQLite. */
  function getTypeParser(type: number, format?: 'text' | 'binary') {
    if (type === INT8) return Number
    return pg.types.getTypeParser(type, format)
  }
}

/** Whoever may not write is told so before anything is asked. */
class GatedDialect extends PostgresDialect {
  readonly #mayWrite: MayWrite | undefined

  constructor(config: PostgresDialectConfig, mayWrite: MayWrite | undefined) {
    super(config)
    this.#mayWrite = mayWrite
  }

  override createDriver(): Driver {
    const driver = super.createDriver()
    const acquire = driver.acquireConnection.bind(driver)
    driver.acquireConnection = async (options) => {
      await this.#mayWrite?.()
      return acquire(options)
    }
    return driver
  }
}

function postgresDialect(clock: Clock): SqlDialect {
  return {
    name: 'postgres',
    rowLocks: true,
    singleProcess: false,
    batchesAreOneMoment: false,
    version: sql<string>`current_setting('server_version')`,
    size: sql<number>`pg_database_size(current_database())`,
    // As a subquery it is asked once per statement; the volatile function itself no index can serve.
    nowMs: () =>
      sql<number>`(select (extract(epoch from clock_timestamp()) * 1000)::bigint + ${clock.offsetMs()}::bigint)`,
    // The scanner's connections have a statement timeout of their own.
    withinDeadline: () => sql<boolean>`true`,
    isOneOf: (value, list, of) =>
      sql<boolean>`${value} = any(${isList(list) ? [...list] : list}::${ARRAY_TYPES[of]})`,
    bindList: (list) => [...list],
    bindParts: (list) => list.map((part) => `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`),
    rankOf: (value, ranks) =>
      sql<number>`cast((select ${ranks}::jsonb) ->> ${value}::text as bigint)`,
    contains: (text, part) => sql<boolean>`strpos(${text}, ${part}) > 0`,
    // No subquery: each would be planned for itself, and filters may have hundreds of lists.
    containsOneOf: (text, parts) => sql<boolean>`${text} like any(${parts}::text[])`,
    // The part alone is looked for first: a pattern costs more.
    hasWord: (text, word) =>
      sql<boolean>`(strpos(${text}, ${word}) > 0 and ${text} ~ (${WORD_PATTERN.before}::text || ${word}::text || ${WORD_PATTERN.after}::text))`,
    like: (text, pattern) => sql<boolean>`${text} like ${pattern} escape ''`,
    endsWith: (text, part) => sql<boolean>`right(${text}, length(${part}::text)) = ${part}`,
    wholeNumber: (text) =>
      sql<number>`case when ${text} ~ '^[0-9]{1,9}$' then cast(${text} as bigint) end`,
    isUniqueViolation: (error) => codeOf(error) === '23505',
    isDeadlock: (error) => ['40P01', '40001'].includes(codeOf(error)),
    isUnavailable: (error) =>
      mayBeRepeated(codeOf(error)) || isBrokenConnection(error) || isInUse(error),
    // Made of its text, it compares by the collation of the column that the text is in.
    defineJsonMember: sql`create or replace function json_member(whole text, name text) returns text
      language sql immutable strict parallel safe as 'select whole::json ->> name'`,
    sequences: nativeSequences,
    textIndex: trigramTextIndex,
    counts: postgresCounts,
    types: {
      bigint: sql`bigint`,
      bytes: sql`bytea`,
      double: sql`double precision`,
      serial: sql`bigint generated always as identity primary key`,
      text: sql`text collate "C"`,
    },
    giveKeys: (table, column, sequence) =>
      sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} drop identity,
        alter column ${sql.ref(column)} set default nextval(${sql.lit(sequence)})`,
    indexes: {
      concurrently: sql`concurrently`,
      beforeBuild: sql`select set_config('statement_timeout', '0', false), set_config('application_name', ${BUILDER}, false)`,
      afterBuild: sql`select set_config('statement_timeout', ${String(WRITE_TIMEOUT_MS)}, false), set_config('application_name', ${NAME}, false)`,
      longKey: (column) => sql`md5(${column})`,
      nullsLowest: (column) => sql`${column} nulls first`,
      withKey: (key) => sql` include (${key})`,
      weighedByLimit: true,
      unused: (value) => sql`${value}`,
    },
    lockTable: (table, against) =>
      sql`lock table ${sql.table(table)} in ${LOCK_MODES[against]} mode`,
    lockName: (name) => sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`,
    lockNameShared: (name) =>
      sql`select pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`,
  }
}

const LOCK_MODES = {
  writers: sql`share row exclusive`,
  all: sql`access exclusive`,
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' ? code : ''
}

/**
 * Class 08 is a lost connection, 57P0x a server that stops, 53300 one that is full, 53100 a full disk, 25006 one that only reads; 57014 and 25P0x are
 * time limits, 55P03 and class 40 transactions that were in each other's way.
 */
function mayBeRepeated(code: string): boolean {
  return /^(08|40|57P0|57014|25P0[34]|25006|55P03|53[13]00|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH)/.test(
    code,
  )
}

function isBrokenConnection(error: unknown): boolean {
  return (
    error instanceof Error &&
    /connection (terminated|timeout|error)|timeout (exceeded|expired)/i.test(error.message)
  )
}

function reason(error: unknown): string {
  if (error instanceof AggregateError) return reason(error.errors[0])
  return error instanceof Error ? error.message || codeOf(error) : String(error)
}
