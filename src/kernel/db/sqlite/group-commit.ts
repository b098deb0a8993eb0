import type { Connection, Result } from './connection.ts'
import { type GroupRequest, MUST, RETURNS, WRITE_TIMEOUT_MS } from './protocol.ts'

/** What came of one member of a group. */
export type Outcome = { readonly result: Result } | { readonly error: unknown }

/** Nobody waits longer for the writer because others came after them (DESIGN §4: 20 ms). */
const GROUP_MS = 10
/** Events that one commit numbers; the sequencer takes what transactions left beyond that. */
const NUMBERED = 500

const NOTHING: Result = { columns: [], rows: [], changes: 0, lastId: null, done: true }

/**
 * Carries out everything that waits and commits once: one sync of the disk and one flush of the text index for all.
 * What fails fails alone. Answers in the order in which `next` gave them.
 */
export function carryOutGroup(
  connection: Connection,
  next: () => GroupRequest | undefined,
): Outcome[] {
  const startedMs = performance.now()
  const members: GroupRequest[] = []
  const more = () => {
    const isFirst = members.length === 0
    const member = isFirst || performance.now() - startedMs < GROUP_MS ? next() : undefined
    if (member) members.push(member)
    return member
  }
  try {
    return hopefully(connection, members, more) ?? inSavepoints(connection, members, more)
  } catch (error) {
    if (connection.isInTransaction()) connection.step('rollback')
    if (members.length === 0) more()
    if (members.length < 2) return members.map(() => ({ error }))
    return members.map((member) => singly(connection, member))
  }
}

const CHANGES = /^\s*(?:insert(?=\s+into\b)|update(?=\s)(?!\s+or\b))/i

/**
 * A statement that has a trigger or several rows keeps a copy of every page it changes, to be undone alone. One of a plan never is:
 * what it did before it failed is undone with all of the plan.
 */
export function leavingRest(sql: string): string {
  return sql.replace(CHANGES, '$& or fail')
}

type More = () => GroupRequest | undefined

/**
 * Without savepoints, each of which would make the text index write what it holds in memory. Undefined, and nothing
 * has happened, when one fails that has changed something.
 */
function hopefully(
  connection: Connection,
  members: readonly GroupRequest[],
  more: More,
): Outcome[] | undefined {
  const outcomes: Outcome[] = []
  connection.step('begin immediate')
  for (let member = more(); member; member = more()) {
    try {
      const result = carryOut(connection, member)
      if (result.done || !result.changes) outcomes.push({ result })
      else break
    } catch {
      break
    }
  }
  if (outcomes.length < members.length) {
    if (connection.isInTransaction()) connection.step('rollback')
    return undefined
  }
  end(connection, members)
  return outcomes
}

/** Those that were begun before, and more. */
function inSavepoints(connection: Connection, members: readonly GroupRequest[], more: More) {
  connection.step('begin immediate')
  const outcomes = members.map((member) => inSavepoint(connection, member))
  for (let member = more(); member; member = more()) {
    outcomes.push(inSavepoint(connection, member))
  }
  end(connection, members)
  return outcomes
}

/** Throws when the failure took the transaction of the whole group with it: full disk, no memory. */
function inSavepoint(connection: Connection, member: GroupRequest): Outcome {
  connection.step('savepoint member')
  try {
    const result = carryOut(connection, member)
    if (!result.done) connection.step('rollback to member')
    connection.step('release member')
    return { result }
  } catch (error) {
    if (!connection.isInTransaction()) throw error
    connection.step('rollback to member')
    connection.step('release member')
    return { error }
  }
}

/** The database undid all of a group because of one: only that one fails. */
function singly(connection: Connection, member: GroupRequest): Outcome {
  try {
    connection.step('begin immediate')
    const result = carryOut(connection, member)
    if (result.done) end(connection, [member])
    return { result }
  } catch (error) {
    return { error }
  } finally {
    if (connection.isInTransaction()) connection.step('rollback')
  }
}

/** When it is not done, `changes` says whether there is something to undo. */
function carryOut(connection: Connection, member: GroupRequest): Result {
  if (member.op === 'query') return connection.run(member.sql, member.params, member.timeoutMs)
  const { cells, textOf } = member
  const rows: Result['rows'][number][] = []
  const columns: string[] = []
  let changes = 0
  for (let at = 0; at < cells.length; ) {
    const [flags, count] = [Number(cells[at + 1]), Number(cells[at + 2])]
    const values = cells.slice(at + 3, at + 3 + count)
    const result = connection.run(textOf(Number(cells[at])), values, WRITE_TIMEOUT_MS)
    at += 3 + count
    if (flags & MUST && result.changes === 0) return { ...NOTHING, changes, done: false }
    if (result.columns.length === 0) changes += result.changes
    if (!(flags & RETURNS)) continue
    // One list of all cells for each step that returns something, with the names of its columns.
    changes += result.changes
    columns.push(JSON.stringify(result.columns))
    rows.push(result.rows.flat())
  }
  return { ...NOTHING, columns, rows }
}

function end(connection: Connection, members: readonly GroupRequest[]) {
  if (members.some((member) => member.op === 'plan' && member.hasEvents)) numberEvents(connection)
  connection.step('commit')
}

/**
 * In the commit that makes them visible: with one writer nobody can see a later `seq` before an earlier one. What
 * transactions left without a number comes first.
 */
function numberEvents(connection: Connection) {
  const { changes } = connection.run(NUMBER, [NUMBERED], Number.POSITIVE_INFINITY)
  connection.run(MOVE_POSITION, [changes], Number.POSITIVE_INFINITY)
}

const NUMBER = `
  update kernel_events
  set seq = batch.step + (select seq from kernel_event_position where name = 'last')
  from (
    select ord, row_number() over (order by ord) as step
    from (select ord from kernel_events where seq is null order by ord limit +?)
  ) as batch
  where kernel_events.ord = batch.ord`
const MOVE_POSITION = `update kernel_event_position set seq = seq + ? where name = 'last'`
