import type { CompiledQuery, QueryResult } from 'kysely'
import type { Client, Pool } from 'pg'
import type { AnyTables } from './database.ts'
import type { Carried, PlannedStep } from './plan.ts'
import { createStatementNames } from './postgres-names.ts'
import type { Row, Statement, sendPipeline } from './postgres-pipeline.ts'

/** A connection whose statements are sent without waiting for each other. */
interface Line {
  readonly client: Client
  readonly send: typeof sendPipeline
  /** Ends the connection when nothing was asked of it for a while, unless it is the last. */
  readonly idle: NodeJS.Timeout
  busy: number
  /** A plan with statements that it does not know is under way, and others wait for it. */
  learning: Promise<unknown> | null
}

interface Deps {
  readonly connections: number
  /** A connection that is not used for so long is closed. */
  readonly idleMs: number
  /** How many statements have names at a time, and how many a connection is told before it is replaced. */
  readonly statements?: { readonly named: number; readonly told: number }
  /** A client in pipeline mode, connected. */
  connect(): Promise<Client>
}

/** The connection broke before the commit was sent, for instance while this thread was held up: nothing was kept. */
interface Undone {
  readonly brokeBy: unknown
}

const MOST_TRIES = 3
const DIVISION_BY_ZERO = '22012'

/** What plans read: prepared statements of the pool of reads. */
export function postgresRead(pool: Pool) {
  const names = createStatementNames('read')
  return async ({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<AnyTables>> => {
    const name = names.nameOf(text)
    const client = await pool.connect()
    try {
      const rows = await run(client, { text, name, values: parameters })
      if (name !== undefined) names.tell(client, [name])
      return { rows }
    } finally {
      client.release(names.isFull(client))
    }
  }
}

/**
 * Plans for PostgreSQL: a whole transaction in one round trip. Nothing waits for the answer of a guard, so one
 * that fails has to be an error, which stops the statements behind it.
 */
export function openPlans({ connections, idleMs, statements, connect }: Deps) {
  const names = createStatementNames('plan', statements)
  const lines = new Set<Line>()
  let opening: Promise<unknown> | null = null
  let isClosed = false
  return { carryOut, close }

  async function carryOut(steps: readonly PlannedStep[]): Promise<Carried> {
    const asked = steps.map(toStatement)
    for (let tries = 1; ; ) {
      const line = await freeLine()
      line.busy++
      line.idle.refresh()
      try {
        while (line.learning) await line.learning
        // On one that broke meanwhile nothing of this plan was sent.
        if (!lines.has(line)) continue
        const carried = await transact(line, steps, asked)
        if ('isDone' in carried) return carried
        if (tries++ === MOST_TRIES) throw carried.brokeBy
      } finally {
        line.busy--
        if (names.isFull(line)) retire(line)
      }
    }
  }

  /** Nobody is given it any more; it ends with the last plan that it carries, which does not wait for that. */
  function retire(line: Line) {
    lines.delete(line)
    clearTimeout(line.idle)
    if (line.busy === 0) line.client.end().catch(() => {})
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
    const [client, { sendPipeline: send }] = await Promise.all([
      connect(),
      // Loaded where a server of PostgreSQL is used, as its client is.
      import('./postgres-pipeline.ts'),
    ])
    const line: Line = {
      client,
      send,
      busy: 0,
      learning: null,
      idle: setTimeout(rest, idleMs).unref(),
    }
    const forget = () => {
      lines.delete(line)
      clearTimeout(line.idle)
    }
    client.on('error', forget)
    client.on('end', forget)
    lines.add(line)

    function rest() {
      // The last one is kept, as those of pools are: on a server that is full there may be no other.
      if (line.busy > 0 || lines.size === 1) line.idle.refresh()
      else retire(line)
    }
  }

  /**
   * A statement that the connection does not know would be prepared behind the others, and when one of these
   * fails that is lost, although the client takes it for done: then they follow each other.
   */
  async function transact(
    line: Line,
    steps: readonly PlannedStep[],
    asked: readonly Statement[],
  ): Promise<Carried | Undone> {
    const own = asked.flatMap(({ name }) => name ?? [])
    if (own.every((name) => names.knows(line, name))) return pipelined(line, steps, asked)
    const learning = oneByOne(line.client, steps, asked)
    line.learning = learning.catch(() => {})
    try {
      const carried = await learning
      if ('isDone' in carried && carried.isDone) names.tell(line, own)
      return carried
    } finally {
      line.learning = null
    }
  }

  function toStatement({ sql, params, must, returns }: PlannedStep): Statement {
    const text = must ? guarding(sql) : sql
    return { text, name: names.nameOf(text), values: params, returns }
  }

  async function close() {
    isClosed = true
    await opening?.catch(() => {})
    for (const { idle } of lines) clearTimeout(idle)
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
  { client, send }: Line,
  steps: readonly PlannedStep[],
  asked: readonly Statement[],
): Promise<Carried> {
  const result = await send(client, asked)
  if ('error' in result) return refused(result.error, steps[result.done])
  return { isDone: true, returned: result.rows }
}

async function oneByOne(
  client: Client,
  steps: readonly PlannedStep[],
  asked: readonly Statement[],
): Promise<Carried | Undone> {
  const answers: (readonly Row[])[] = []
  try {
    await client.query('begin')
    for (const statement of asked) answers.push(await run(client, statement))
  } catch (error) {
    const isBroken = await client.query('rollback').then(
      () => false,
      () => true,
    )
    return isBroken ? { brokeBy: error } : refused(error, steps[answers.length])
  }
  await client.query('commit')
  return { isDone: true, returned: answers.filter((_, at) => steps[at]?.returns) }
}

async function run(
  client: Pick<Client, 'query'>,
  { text, name, values }: Omit<Statement, 'returns'>,
): Promise<Row[]> {
  const asked = { text, values: [...values], ...(name === undefined ? {} : { name }) }
  return (await client.query(asked)).rows
}

function refused(error: unknown, step: PlannedStep | undefined): Carried {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  if (step?.must && code === DIVISION_BY_ZERO) return { isDone: false }
  throw error
}
