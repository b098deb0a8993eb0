import { type Kysely, sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { compareBytes } from '../fold.ts'
import { storedName } from './names.ts'
import type { CounterAnswer, CounterStep, Counters, Seed, Window } from './port.ts'
import type { CountersTables } from './postgres-schema.ts'
import { checkSeeds, checkSteps, SET_BACK_MS } from './window.ts'

const PURGE_BATCH = 5_000
const BATCH = 200

export interface PostgresCountersDeps {
  /** Has the table of `createCountersTable`. Not closed here. */
  readonly db: Kysely<CountersTables>
  readonly clock: Clock
}

export interface PostgresCounters extends Counters {
  /** Deletes a batch of ended windows; returns how many. Call it until it returns 0, now and then. */
  purge(): Promise<number>
}

/** One decision, with what the counter of each step says after it. */
interface DecisionRow {
  call: number
  missing: number
  tried: number
  refused: boolean
  counts: number[]
  ends: number[]
  epochs: number[]
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
 * otherwise queue for its row, one round trip after the other, until they are given up. Those of a
 * batch that ask the same are one question with a number.
 */
export function createPostgresCounters({ db, clock }: PostgresCountersDeps): PostgresCounters {
  const waiting: Waiting[] = []
  let isSending = false
  return { add, read, seed, purge, close: async () => {} }

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
      const asked = [...Map.groupBy(batch, ({ steps }) => JSON.stringify(steps)).values()]
      try {
        const rows = Map.groupBy(await send(asked), (row) => row.call)
        for (const [index, same] of asked.entries()) settle(same, rows.get(index + 1) ?? [])
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isSending = false
  }

  async function send(asked: readonly Waiting[][]): Promise<DecisionRow[]> {
    const calls = asked.map(([first]) => first?.steps ?? [])
    const steps = calls.flat()
    // As `collate "C"` does: the order in which rows are locked.
    const names = [...new Set(steps.map(({ name }) => storedName(name)))].sort(compareBytes)
    const places = new Map(names.map((name, at) => [name, at + 1]))
    const { rows } = await sql<DecisionRow>`
      select * from kernel_counters_decide_all(
        ${names}::text[],
        ${calls.map(({ length }) => length)}::int[],
        ${asked.map(({ length }) => length)}::int[],
        ${steps.map(({ name }) => places.get(storedName(name)))}::int[],
        ${steps.map(({ window }) => unitOf(window))}::text[],
        ${steps.map(({ window }) => lengthOf(window))}::bigint[],
        ${steps.map(({ amount }) => amount)}::bigint[],
        ${steps.map(({ limit }) => limit)}::bigint[],
        ${steps.map(({ keepRefused }) => keepRefused === true)}::boolean[],
        ${steps.map(({ seeded }) => seeded === true)}::boolean[],
        ${steps.map(({ epoch }) => epoch ?? null)}::bigint[],
        ${clock.offsetMs()}::bigint)`.execute(db)
    return rows
  }

  async function read(name: string, window: Window): Promise<number | undefined> {
    const { rows } = await sql<{ value: number }>`
      select value::float8 as value from kernel_counters
      where name = ${storedName(name)} and ${isCurrent(window)}`.execute(db)
    return rows[0]?.value
  }

  async function seed(seeds: readonly Seed[]): Promise<void> {
    checkSeeds(seeds)
    const byWindow = Map.groupBy(seeds, ({ window }) => `${unitOf(window)} ${lengthOf(window)}`)
    for (const [first, ...others] of byWindow.values()) {
      if (first) await seedAlike(first.window, [first, ...others])
    }
  }

  /** In the order in which the decisions lock their rows. */
  async function seedAlike(window: Window, seeds: readonly Seed[]): Promise<void> {
    const ends = sql`kernel_counters_end_of(${unitOf(window)}, ${lengthOf(window)}::bigint, ${now()})`
    const names = seeds.map(({ name }) => storedName(name))
    const values = seeds.map(({ value }) => value)
    const epochs = seeds.map(({ epoch }) => epoch)
    const meant = seeds.map(({ endsAtMs }) => endsAtMs ?? null)
    await sql`
      insert into kernel_counters (name, value, ends_at, epoch)
      select name, value, ${ends}, epoch
      from unnest(${names}::text[], ${values}::bigint[], ${epochs}::bigint[], ${meant}::bigint[])
        as given (name, value, epoch, meant)
      where meant is null or meant = ${ends}
      order by name collate "C"
      on conflict (name) do update set
        value = excluded.value,
        epoch = excluded.epoch,
        ends_at = case when ${isCurrent(window)} then kernel_counters.ends_at
          else excluded.ends_at end
      where not ${isCurrent(window)} or kernel_counters.epoch < excluded.epoch`.execute(db)
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

/** The first decision is that of whoever came first. */
function settle(same: readonly Waiting[], rows: readonly DecisionRow[]): void {
  for (const [turn, { steps, resolve, reject }] of same.entries()) {
    const row = rows[turn]
    if (row) resolve(toAnswer(steps, row))
    else reject(new TypeError('PostgreSQL gave no answer for the counters'))
  }
}

function toAnswer(steps: readonly CounterStep[], row: DecisionRow): CounterAnswer {
  const { now_ms: nowMs, refused } = row
  if (row.missing > 0) {
    const name = steps[row.missing - 1]?.name ?? null
    return { results: [], allowed: false, missing: name, nowMs }
  }
  const results = steps.slice(0, row.tried).map(({ name }, index) => ({
    name,
    allowed: !(refused && index === row.tried - 1),
    value: row.counts[index] ?? 0,
    endsAtMs: row.ends[index] ?? 0,
    epoch: row.epochs[index] ?? 0,
  }))
  return { results, allowed: !refused, missing: null, nowMs }
}

function unitOf(window: Window): string {
  return window.kind === 'fixed' ? 'fixed' : window.unit
}

function lengthOf(window: Window): number {
  return window.kind === 'fixed' ? window.ms : 0
}
