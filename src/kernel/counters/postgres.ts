import { type Kysely, sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { storedName } from './names.ts'
import type { CounterAnswer, CounterStep, Counters, SetOptions, Window } from './port.ts'
import type { CountersTables } from './postgres-schema.ts'
import { checkCounter, checkSteps, SET_BACK_MS } from './window.ts'

const PURGE_BATCH = 5_000
const BATCH = 500

export interface PostgresCountersDeps {
  /** Has the table of `createCountersTable`. Not closed here. */
  readonly db: Kysely<CountersTables>
  readonly clock: Clock
}

export interface PostgresCounters extends Counters {
  /** Deletes a batch of ended windows; returns how many. Call it until it returns 0, now and then. */
  purge(): Promise<number>
}

interface AddRow {
  call: number
  allowed: boolean | null
  count: number
  end_ms: number
  now_ms: number
}

interface Waiting {
  readonly steps: readonly CounterStep[]
  resolve(answer: CounterAnswer): void
  reject(error: unknown): void
}

/**
 * Counts in PostgreSQL, exact over all nodes that use it; time is that of the database. Calls that
 * come while one is on its way travel together: two hundred requests of one key at once would
 * otherwise queue for its row, one round trip after the other, until they are given up.
 */
export function createPostgresCounters({ db, clock }: PostgresCountersDeps): PostgresCounters {
  const waiting: Waiting[] = []
  let isSending = false
  return { add, read, set, purge, close: async () => {} }

  async function add(steps: readonly CounterStep[]): Promise<CounterAnswer> {
    checkSteps(steps)
    if (steps.length === 0) {
      return { results: [], allowed: true, missing: null, nowMs: clock.now() }
    }
    const { promise, resolve, reject } = Promise.withResolvers<CounterAnswer>()
    waiting.push({ steps, resolve, reject })
    if (!isSending) void sendAll()
    return promise
  }

  async function sendAll() {
    isSending = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH)
      try {
        const rows = Map.groupBy(await send(batch), (row) => row.call)
        for (const [index, { steps, resolve }] of batch.entries()) {
          resolve(toAnswer(steps, rows.get(index + 1) ?? []))
        }
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isSending = false
  }

  async function send(batch: readonly Waiting[]): Promise<AddRow[]> {
    const calls = JSON.stringify(batch.map(({ steps }) => toCall(steps)))
    const { rows } = await sql<AddRow>`
      select * from kernel_counters_add_many(${calls}::jsonb, ${clock.offsetMs()}::bigint)`.execute(
      db,
    )
    return rows
  }

  async function read(name: string, window: Window): Promise<number | undefined> {
    const { rows } = await sql<{ value: number }>`
      select value::float8 as value from kernel_counters
      where name = ${storedName(name)} and ${isCurrent(window)}`.execute(db)
    return rows[0]?.value
  }

  async function set(
    name: string,
    window: Window,
    value: number,
    { onlyIfAbsent = false }: SetOptions = {},
  ): Promise<void> {
    checkCounter(name, window, value)
    const ends = sql`kernel_counters_end_of(${unitOf(window)}, ${lengthOf(window)}::bigint, ${now()})`
    await sql`
      insert into kernel_counters (name, value, ends_at)
      values (${storedName(name)}, ${value}::bigint, ${ends})
      on conflict (name) do update set
        value = excluded.value,
        ends_at = case when ${isCurrent(window)} then kernel_counters.ends_at
          else excluded.ends_at end
      where not ${onlyIfAbsent}::boolean or not ${isCurrent(window)}`.execute(db)
  }

  /** Rows that are being counted are left alone. */
  async function purge(): Promise<number> {
    const { numAffectedRows } = await sql`
      delete from kernel_counters where name in (
        select name from kernel_counters where ends_at < ${now()} - ${SET_BACK_MS}::bigint
        order by ends_at limit ${PURGE_BATCH} for update skip locked)`.execute(db)
    return Number(numAffectedRows ?? 0)
  }

  function now() {
    return sql<number>`(floor(extract(epoch from clock_timestamp()) * 1000)::bigint
      + ${clock.offsetMs()}::bigint)`
  }

  function isCurrent(window: Window) {
    return sql<boolean>`kernel_counters_is_current(
      kernel_counters.ends_at, ${unitOf(window)}, ${lengthOf(window)}::bigint, ${now()})`
  }
}

function toCall(steps: readonly CounterStep[]) {
  return {
    names: steps.map((step) => storedName(step.name)),
    units: steps.map((step) => unitOf(step.window)),
    lengths: steps.map((step) => lengthOf(step.window)),
    amounts: steps.map((step) => step.amount),
    limits: steps.map((step) => step.limit),
    keeps: steps.map((step) => step.keepRefused === true),
    seeds: steps.map((step) => step.seeded === true),
  }
}

function toAnswer(steps: readonly CounterStep[], rows: readonly AddRow[]): CounterAnswer {
  const nowMs = rows[0]?.now_ms ?? 0
  const missing = rows.find((row) => row.allowed === null)
  if (missing) {
    const name = steps[missing.count - 1]?.name ?? null
    return { results: [], allowed: false, missing: name, nowMs }
  }
  const results = rows.map((row, index) => ({
    name: steps[index]?.name ?? '',
    allowed: row.allowed === true,
    value: row.count,
    endsAtMs: row.end_ms,
  }))
  return { results, allowed: results.every((result) => result.allowed), missing: null, nowMs }
}

function unitOf(window: Window): string {
  return window.kind === 'fixed' ? 'fixed' : window.unit
}

function lengthOf(window: Window): number {
  return window.kind === 'fixed' ? window.ms : 0
}
