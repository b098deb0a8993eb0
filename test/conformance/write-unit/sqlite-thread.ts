// The writer of SQLite: takes all plans that wait, each in a savepoint, and commits once.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { Cell, Cells } from '#db'
import { rowsOf } from '../../../src/kernel/db/sqlite/connection.ts'
import { addFunctions } from '../../../src/kernel/db/sqlite/functions.ts'
import {
  freeNames,
  type Outcome,
  type PlannedEvent,
  type Resolved,
  resolveValue,
  Stale,
  type Statement,
  statement,
  type WritePlan,
} from './plan.ts'

export interface ThreadData {
  readonly path: string
  readonly port: MessagePort
  /** Tests fill the file up. */
  readonly maxPages?: number
}

/** `holder`: the plan of whoever writes alone. */
export type Request =
  | { readonly id: number; readonly plan: WritePlan; readonly holder?: number }
  | { readonly id: number; readonly op: 'hold' | 'release' }
export type Reply = readonly (readonly [id: number, outcome: Outcome | null])[]

type PlanRequest = Extract<Request, { readonly plan: WritePlan }>
/** A plan that is done but for its commit. */
interface Done {
  readonly id: number
  readonly plan: WritePlan
  readonly outcome: Outcome & { readonly kind: 'done' }
}

const GROUP_MS = 10
const HOLD_MS = 1_000
const UNIQUE = 2067
const PRIMARY_KEY = 1555

const { path, port, maxPages } = workerData as ThreadData
const db = new DatabaseSync(path, { timeout: 5_000 })
db.exec('pragma journal_mode = wal; pragma synchronous = full')
addFunctions(db)
if (maxPages !== undefined) db.exec(`pragma max_page_count = ${maxPages}`)
const statements = new Map<string, StatementSync>()
const waiting: Request[] = []
let holder: { readonly id: number; readonly limit: NodeJS.Timeout } | null = null

port.on('message', (request: Request) => {
  waiting.push(request)
  work()
})
parentPort?.once('message', () => {
  db.close()
  process.exit(0)
})

function work() {
  for (let next = takeNext(); next; next = takeNext()) {
    if ('plan' in next) runGroup(next)
    else if (next.op === 'hold') hold(next.id)
    else release(next.id)
  }
}

/** What arrived while the thread was busy is looked at too. Whoever writes alone comes first. */
function takeNext(): Request | undefined {
  for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) {
    waiting.push(more.message)
  }
  if (!holder) return waiting.shift()
  const own = waiting.findIndex((each) => ('plan' in each ? each.holder : each.id) === holder?.id)
  return own === -1 ? undefined : waiting.splice(own, 1)[0]
}

/** A holder that says nothing more must not keep everybody waiting. */
function hold(id: number) {
  holder = { id, limit: setTimeout(() => release(id), HOLD_MS) }
  port.postMessage([[id, null]] satisfies Reply)
}

function release(id: number) {
  if (holder?.id !== id) return
  clearTimeout(holder.limit)
  holder = null
  work()
}

function runGroup(first: PlanRequest) {
  const startedMs = performance.now()
  const members: PlanRequest[] = []
  const replies: [number, Outcome][] = []
  const done: Done[] = []
  try {
    db.exec('begin immediate')
    for (let next: Request | undefined = first; next; next = nextOfGroup(startedMs)) {
      if (!('plan' in next)) break
      members.push(next)
      const outcome = inSavepoint(next.plan)
      if (outcome.kind === 'done') done.push({ id: next.id, plan: next.plan, outcome })
      else replies.push([next.id, outcome])
    }
    appendEvents(done.flatMap(({ plan, outcome }) => plan.events.map((each) => [each, outcome])))
    db.exec('commit')
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    if (members.length > 1) return runSingly(members)
    const [only] = members
    port.postMessage([[only?.id ?? first.id, failed(error)]] satisfies Reply)
    return
  }
  for (const { id, outcome } of done) replies.push([id, outcome])
  port.postMessage(replies satisfies Reply)
}

function nextOfGroup(startedMs: number): Request | undefined {
  if (holder || performance.now() - startedMs > GROUP_MS) return undefined
  const next = takeNext()
  if (!next || 'plan' in next) return next
  waiting.unshift(next)
  return undefined
}

/** The database undid all of them because of one: each is tried by itself, and only that one fails. */
function runSingly(members: readonly PlanRequest[]) {
  const replies = members.map(({ id, plan }): [number, Outcome] => {
    try {
      db.exec('begin immediate')
      const outcome = carryOut(plan)
      appendEvents(plan.events.map((each) => [each, outcome]))
      db.exec('commit')
      return [id, outcome]
    } catch (error) {
      if (db.isTransaction) db.exec('rollback')
      return [id, failed(error)]
    }
  })
  port.postMessage(replies satisfies Reply)
}

/** Throws when the failure took the transaction of the whole group with it. */
function inSavepoint(plan: WritePlan): Outcome {
  db.exec('savepoint plan')
  try {
    const outcome = carryOut(plan)
    db.exec('release plan')
    return outcome
  } catch (error) {
    if (!db.isTransaction) throw error
    db.exec('rollback to plan; release plan')
    return failed(error)
  }
}

function carryOut({ guards, numbers, names, steps }: WritePlan): Outcome & { kind: 'done' } {
  for (const { statement: asked, values, is } of guards) {
    if (firstCell(asked, values) !== is) throw new Stale()
  }
  const resolved: Resolved = {
    numbers: numbers.flatMap(({ take, count }) => upTo(Number(firstCell(take, [count])), count)),
    names: freeNames(
      names,
      names.map(({ base, highest }) => firstCell(highest, [base])),
    ),
  }
  const returned: Cells[][] = []
  for (const { statement: asked, values, returns } of steps) {
    const cells = values.map((value) => resolveValue(value, resolved))
    if (returns) returned.push(allRows(asked, cells))
    else prepared(asked).run(...cells)
  }
  return { kind: 'done', ...resolved, returned }
}

function upTo(last: number, count: number): number[] {
  return Array.from({ length: count }, (_, n) => last - count + 1 + n)
}

/**
 * In the order of the group, numbered in the commit that makes them visible: with one writer nobody can
 * see a later number before an earlier one, so no sequencer has to follow.
 */
function appendEvents(events: readonly (readonly [PlannedEvent, Resolved])[]) {
  if (events.length === 0) return
  const last = Number(firstCell(TAKE_SEQ, [events.length])) - events.length
  for (const [at, [{ id, type, payload, atMs }, resolved]] of events.entries()) {
    const cells = [id, last + at + 1, type, resolveValue(payload, resolved), atMs]
    prepared(INSERT_EVENT).run(...cells)
  }
}

const TAKE_SEQ = statement(
  'take_seq',
  "update kernel_event_position set seq = seq + $1 where name = 'last' returning seq",
)
const INSERT_EVENT = statement(
  'insert_event',
  'insert into kernel_events (id, seq, type, payload, exclusive, live, occurred_at, created_at) values ($1, $2, $3, $4, 0, 1, $5, $5)',
)

function failed(error: unknown): Outcome {
  if (error instanceof Stale) return { kind: 'stale' }
  const { errcode } = error as { errcode?: number }
  if (errcode === UNIQUE || errcode === PRIMARY_KEY) return { kind: 'stale' }
  return { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
}

function firstCell(asked: Statement, values: readonly Cell[]): Cell {
  return allRows(asked, values)[0]?.[0] ?? null
}

function allRows(asked: Statement, values: readonly Cell[]): Cells[] {
  return rowsOf(prepared(asked).all(...values))
}

function prepared({ name, sqlite }: Statement): StatementSync {
  const known = statements.get(name)
  if (known) return known
  const fresh = db.prepare(sqlite)
  fresh.setReturnArrays(true)
  statements.set(name, fresh)
  return fresh
}
