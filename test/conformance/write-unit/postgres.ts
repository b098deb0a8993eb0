import pg from 'pg'
import type { Cell, Cells } from '#db'
import {
  type Carrier,
  type FreeName,
  nameOf,
  type Outcome,
  type Resolved,
  resolveValue,
  type Statement,
  statement,
  type WritePlan,
} from './plan.ts'

type Row = Cell[]
interface Connection {
  readonly client: pg.Client
  /** Statements that it has prepared. */
  readonly known: Set<string>
  busy: number
  /** A plan with statements that it does not know is under way, and others wait for it. */
  learning: Promise<Outcome> | null
}

/** All writers hold it together, whoever writes alone or changes a type holds it alone. */
const WRITERS = 1_570
const INT8 = 20
const DIVISION_BY_ZERO = '22012'
/** A unique index, a deadlock, a failed serialisation: another writer was quicker. */
const LOST_RACES = new Set(['23505', '40P01', '40001'])

const HOLD_SHARED = statement('hold_shared', `select pg_advisory_xact_lock_shared(${WRITERS})`)
const INSERT_EVENT = statement(
  'insert_event',
  'insert into kernel_events (id, type, payload, exclusive, live, occurred_at, created_at) values ($1, $2, $3, 0, 1, $4, $4)',
)

/**
 * Plans for PostgreSQL: one round trip for numbers and names, one for the transaction. Its statements are
 * sent without waiting for each other, so a guard that fails has to be an error that stops those behind it.
 */
export async function openPostgresCarrier(url: string, connections = 8): Promise<Carrier> {
  const pool = await Promise.all(Array.from({ length: connections }, connect))
  const single = await connect()
  const names = createNames()
  let before: Promise<unknown> = Promise.resolve()
  return { carry, alone, close }

  async function connect(): Promise<Connection> {
    const types = { getTypeParser }
    const client = new pg.Client({ connectionString: url, pipeline: true, types })
    await client.connect()
    return { client, known: new Set(), busy: 0, learning: null }
  }

  function carry(plan: WritePlan): Promise<Outcome> {
    return carryOn(
      pool.reduce((best, each) => (each.busy < best.busy ? each : best)),
      plan,
    )
  }

  /** One after the other, on a connection of their own: a session that has the lock gets it again at once. */
  function alone<T>(work: (carry: Carrier['carry']) => Promise<T>): Promise<T> {
    const turn = before.then(async () => {
      await single.client.query(`select pg_advisory_lock(${WRITERS})`)
      try {
        return await work((plan) => carryOn(single, plan))
      } finally {
        await single.client.query(`select pg_advisory_unlock(${WRITERS})`)
      }
    })
    before = turn.catch(() => {})
    return turn
  }

  async function carryOn(connection: Connection, plan: WritePlan): Promise<Outcome> {
    connection.busy++
    try {
      return await names.during(plan.names, async (free) => {
        const resolved = await resolveAhead(connection.client, plan, free)
        while (connection.learning) await connection.learning
        return transact(connection, plan, resolved)
      })
    } catch (error) {
      return failed(error, false)
    } finally {
      connection.busy--
    }
  }

  async function close() {
    await Promise.all([...pool, single].map(({ client }) => client.end()))
  }
}

type Free = (highest: readonly Cell[]) => string[]

/** Plans of this process that are under way and want the same name do not all take the next one. */
function createNames() {
  const taken = new Map<string, { last: number; plans: number }>()
  return { during }

  async function during<T>(
    names: readonly FreeName[],
    work: (free: Free) => Promise<T>,
  ): Promise<T> {
    const own = names.map(({ base, highest: { name } }) => enter(`${name} ${base}`))
    try {
      return await work((highest) => names.map(({ base }, at) => next(base, own[at], highest[at])))
    } finally {
      for (const [at, { base, highest }] of names.entries()) {
        const known = own[at]
        if (known && --known.plans === 0) taken.delete(`${highest.name} ${base}`)
      }
    }
  }

  function enter(key: string) {
    const known = taken.get(key) ?? { last: 0, plans: 0 }
    known.plans++
    taken.set(key, known)
    return known
  }

  function next(base: string, known: { last: number } = { last: 0 }, highest: Cell = null): string {
    known.last = Math.max(known.last, Number(highest)) + 1
    return nameOf(base, known.last)
  }
}

/** Outside the transaction: a number that is not used is lost, a name is guarded by its unique index. */
async function resolveAhead(
  client: pg.Client,
  { numbers, names }: WritePlan,
  free: Free,
): Promise<Resolved> {
  const [taken, highest] = await Promise.all([
    Promise.all(numbers.map(({ take, count }) => ask(client, take, [count]))),
    Promise.all(names.map(({ base, highest: own }) => ask(client, own, [base]))),
  ])
  return {
    numbers: taken.flatMap(({ rows }) => rows.map(([number]) => Number(number))),
    names: free(highest.map(({ rows }) => rows[0]?.[0] ?? null)),
  }
}

/**
 * With statements that the connection knows all are sent at once. One that it does not know would be prepared
 * behind the others, and when one of them fails that is lost although the client takes it for done.
 */
async function transact(connection: Connection, plan: WritePlan, resolved: Resolved) {
  const { client, known } = connection
  const asked = statementsOf(plan, resolved)
  const names = asked.map(([{ name }]) => name)
  if (names.every((name) => known.has(name))) return pipelined(client, plan, resolved, asked)
  connection.learning = oneByOne(client, plan, resolved, asked)
  try {
    const outcome = await connection.learning
    if (outcome.kind === 'done') for (const name of names) known.add(name)
    return outcome
  } finally {
    connection.learning = null
  }
}

type Asked = readonly [statement: Statement, values: Cells]

/** Guards first, so that it is known which of them failed. */
function statementsOf({ guards, steps, events }: WritePlan, resolved: Resolved): Asked[] {
  return [
    [HOLD_SHARED, []],
    ...guards.map(
      ({ statement: own, values, is }): Asked => [guarding(own, values), [...values, is]],
    ),
    ...steps.map(
      ({ statement: own, values }): Asked => [
        own,
        values.map((each) => resolveValue(each, resolved)),
      ],
    ),
    ...events.map(
      ({ id, type, payload, atMs }): Asked => [
        INSERT_EVENT,
        [id, type, resolveValue(payload, resolved), atMs],
      ],
    ),
  ]
}

async function pipelined(
  client: pg.Client,
  plan: WritePlan,
  resolved: Resolved,
  asked: readonly Asked[],
): Promise<Outcome> {
  const begun = client.query('begin')
  const answers = asked.map(([own, values]) => ask(client, own, values))
  const ends = await Promise.allSettled([...answers, begun, client.query('commit')])
  const at = ends.findIndex(({ status }) => status === 'rejected')
  const failure = ends[at]
  if (failure?.status === 'rejected') return failed(failure.reason, at <= plan.guards.length)
  return done(plan, resolved, await Promise.all(answers))
}

async function oneByOne(
  client: pg.Client,
  plan: WritePlan,
  resolved: Resolved,
  asked: readonly Asked[],
): Promise<Outcome> {
  const answers: Answer[] = []
  await client.query('begin')
  try {
    for (const [own, values] of asked) answers.push(await ask(client, own, values))
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    return failed(error, answers.length <= plan.guards.length)
  }
  return done(plan, resolved, answers)
}

function done(
  { guards, steps }: WritePlan,
  resolved: Resolved,
  answers: readonly Answer[],
): Outcome {
  const own = answers.slice(1 + guards.length, 1 + guards.length + steps.length)
  const returned = own.filter((_, at) => steps[at]?.returns).map(({ rows }) => rows)
  return { kind: 'done', ...resolved, returned }
}

function failed(error: unknown, isGuard: boolean): Outcome {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const isStale = LOST_RACES.has(code) || (isGuard && code === DIVISION_BY_ZERO)
  return isStale ? { kind: 'stale' } : { kind: 'failed', message }
}

function guarding({ name, postgres }: Statement, values: Cells): Statement {
  const holds = `(${postgres}) is not distinct from $${values.length + 1}`
  return statement(`guard_${name}`, `select 1 / (case when ${holds} then 1 else 0 end)`)
}

type Answer = pg.QueryResult<Row>

function ask(client: pg.Client, { name, postgres: text }: Statement, values: Cells) {
  return client.query<Row>({ name, text, values: [...values], rowMode: 'array' })
}

/** 64-bit integers are numbers, as on SQLite. */
function getTypeParser(type: number, format?: 'text' | 'binary') {
  return type === INT8 ? Number : pg.types.getTypeParser(type, format)
}
