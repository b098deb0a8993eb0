import type { CompiledQuery, QueryResult } from 'kysely'
import type { Client, Pool } from 'pg'
import type { AnyTables } from './database.ts'
import type { Carried, PlannedStep } from './plan.ts'
import { createStatementNames } from './postgres-names.ts'

/** A connection whose statements are sent without waiting for each other. */
interface Line {
  readonly client: Client
  /** Statements that it has prepared. */
  readonly known: Set<string>
  busy: number
  /** A plan with statements that it does not know is under way, and others wait for it. */
  learning: Promise<unknown> | null
}

interface Statement {
  readonly text: string
  readonly name: string | undefined
  readonly values: unknown[]
}

interface Deps {
  readonly connections: number
  /** A client in pipeline mode, connected. */
  connect(): Promise<Client>
}

type Rows = Readonly<Record<string, unknown>>[]

const DIVISION_BY_ZERO = '22012'

/** What plans read: prepared statements of the pool of reads. */
export function postgresRead(pool: Pool) {
  const { nameOf } = createStatementNames('read')
  return async ({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<AnyTables>> => {
    const name = nameOf(text)
    const { rows } = await pool.query({
      ...{ text, values: [...parameters] },
      ...(name === undefined ? {} : { name }),
    })
    return { rows }
  }
}

/**
 * Plans for PostgreSQL: a whole transaction in one round trip. Nothing waits for the answer of a guard, so one
 * that fails has to be an error, which stops the statements behind it.
 */
export function openPlans({ connections, connect }: Deps) {
  const { nameOf } = createStatementNames('plan')
  const lines = new Set<Line>()
  let opening: Promise<unknown> | null = null
  let isClosed = false
  return { carryOut, close }

  async function carryOut(steps: readonly PlannedStep[]): Promise<Carried> {
    const asked = steps.map(toStatement)
    for (;;) {
      const line = await freeLine()
      line.busy++
      try {
        while (line.learning) await line.learning
        // On one that broke meanwhile nothing of this plan was sent.
        if (lines.has(line)) return await transact(line, steps, asked)
      } finally {
        line.busy--
      }
    }
  }

  /** The least busy one; another one while all are busy and there may be more. */
  async function freeLine(): Promise<Line> {
    for (;;) {
      const best = leastBusy()
      if (best && (best.busy === 0 || lines.size >= connections)) return best
      if (opening && best) return best
      opening ??= open().finally(() => {
        opening = null
      })
      try {
        await opening
      } catch (error) {
        const left = leastBusy()
        if (!left) throw error
        return left
      }
    }
  }

  function leastBusy(): Line | undefined {
    let best: Line | undefined
    for (const line of lines) if (!best || line.busy < best.busy) best = line
    return best
  }

  async function open() {
    if (isClosed) throw new Error('the database is closed')
    const client = await connect()
    const line: Line = { client, known: new Set(), busy: 0, learning: null }
    const forget = () => void lines.delete(line)
    client.on('error', forget)
    client.on('end', forget)
    lines.add(line)
  }

  /**
   * A statement that the connection does not know would be prepared behind the others, and when one of these
   * fails that is lost, although the client takes it for done: then they follow each other.
   */
  async function transact(
    line: Line,
    steps: readonly PlannedStep[],
    asked: readonly Statement[],
  ): Promise<Carried> {
    const names = asked.flatMap(({ name }) => name ?? [])
    if (names.every((name) => line.known.has(name))) return pipelined(line.client, steps, asked)
    const learning = oneByOne(line.client, steps, asked)
    line.learning = learning.catch(() => {})
    try {
      const carried = await learning
      if (carried.isDone) for (const name of names) line.known.add(name)
      return carried
    } finally {
      line.learning = null
    }
  }

  function toStatement({ sql, params, must }: PlannedStep): Statement {
    const text = must ? guarding(sql) : sql
    return { text, name: nameOf(text), values: [...params] }
  }

  async function close() {
    isClosed = true
    await opening?.catch(() => {})
    await Promise.all([...lines].map(({ client }) => client.end()))
  }
}

/** An error unless the statement touches a row. */
function guarding(text: string): string {
  const isSelect = /^\s*(select|with)\b/i.test(text)
  const guard = isSelect ? `materialized (${text})` : `(${text} returning 1)`
  return `with guard as ${guard} select 1 / count(*) from guard`
}

async function pipelined(
  client: Client,
  steps: readonly PlannedStep[],
  asked: readonly Statement[],
): Promise<Carried> {
  const begun = client.query('begin')
  const answers = asked.map((statement) => run(client, statement))
  const ends = await Promise.allSettled([begun, ...answers, client.query('commit')])
  const failed = ends.findIndex(({ status }) => status === 'rejected')
  const failure = ends[failed]
  if (failure?.status === 'rejected') return refused(failure.reason, steps[failed - 1])
  return { isDone: true, returned: rowsOf(steps, await Promise.all(answers)) }
}

async function oneByOne(
  client: Client,
  steps: readonly PlannedStep[],
  asked: readonly Statement[],
): Promise<Carried> {
  const answers: Rows[] = []
  await client.query('begin')
  try {
    for (const statement of asked) answers.push(await run(client, statement))
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    return refused(error, steps[answers.length])
  }
  return { isDone: true, returned: rowsOf(steps, answers) }
}

async function run(client: Client, { text, name, values }: Statement): Promise<Rows> {
  const { rows } = await client.query({ text, values, ...(name === undefined ? {} : { name }) })
  return rows
}

function rowsOf(steps: readonly PlannedStep[], answers: readonly Rows[]) {
  return answers.filter((_, at) => steps[at]?.returns)
}

function refused(error: unknown, step: PlannedStep | undefined): Carried {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  if (step?.must && code === DIVISION_BY_ZERO) return { isDone: false }
  throw error
}
