import type { Connection, Result } from './connection.ts'
import type { GroupRequest } from './protocol.ts'

/** What came of one member of a group. */
export type Outcome = { readonly result: Result } | { readonly error: unknown }

/** Nobody waits longer for the writer because others came after them (DESIGN §4: 20 ms). */
const GROUP_MS = 10
/** Events that one commit numbers; the sequencer takes what transactions left beyond that. */
const NUMBERED = 500

const NOTHING: Result = { columns: [], rows: [], changes: 0, lastId: null, done: true }

/**
 * Carries out everything that waits, each in a savepoint, and commits once: one sync of the disk for all. What
 * fails fails alone. Answers in the order in which `next` gave them.
 */
export function carryOutGroup(
  connection: Connection,
  next: () => GroupRequest | undefined,
): Outcome[] {
  const startedMs = performance.now()
  const members: GroupRequest[] = []
  const outcomes: Outcome[] = []
  try {
    connection.exec('begin immediate')
    do {
      const member = next()
      if (!member) break
      members.push(member)
      outcomes.push(inSavepoint(connection, member))
    } while (performance.now() - startedMs < GROUP_MS)
    end(connection, members)
    return outcomes
  } catch (error) {
    if (connection.isInTransaction()) connection.exec('rollback')
    const [first = next()] = members
    if (members.length < 2) return first ? [{ error }] : []
    return members.map((member) => singly(connection, member))
  }
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
    connection.exec('begin immediate')
    const result = carryOut(connection, member)
    if (result.done) end(connection, [member])
    return { result }
  } catch (error) {
    return { error }
  } finally {
    if (connection.isInTransaction()) connection.exec('rollback')
  }
}

function carryOut(connection: Connection, member: GroupRequest): Result {
  if (member.op === 'query') return connection.run(member.sql, member.params, member.timeoutMs)
  const rows: Result['rows'][number][] = []
  const columns: string[] = []
  for (const { sql, params, must, returns } of member.steps) {
    const result = connection.run(sql, params, member.timeoutMs)
    if (must && result.changes === 0) return { ...NOTHING, done: false }
    if (!returns) continue
    // One row for each step that returns something, with the names before its values.
    columns.push(JSON.stringify(result.columns))
    rows.push(result.rows[0] ?? [])
  }
  return { ...NOTHING, columns, rows }
}

function end(connection: Connection, members: readonly GroupRequest[]) {
  const hasEvents = members.some(
    (member) => member.op === 'carryOut' && member.steps.some(({ isEvent }) => isEvent),
  )
  if (hasEvents) numberEvents(connection)
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
