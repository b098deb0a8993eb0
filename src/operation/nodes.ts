import { readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { Clock, Log } from '#kernel'
import { deleteNode, deleteNodesBefore, findNodes, type NodeRow, saveNode } from './store.ts'
import type { OperationTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly nodeId: string
  readonly version: string
  readonly roles: readonly string[]
  gatewayThreads(): number
}

export interface Node extends Omit<NodeRow, 'roles'> {
  readonly roles: readonly string[]
  /** The process that answers. */
  readonly isThis: boolean
}

const SAY_EVERY_MS = 10_000
/** Three times in silence is gone. */
const GONE_AFTER_MS = 35_000
const FORGOTTEN_AFTER_MS = 24 * 3_600_000

/**
 * The processes of this installation. Each says every ten seconds that it is there, unless the
 * database can have only one.
 */
export function createNodes(deps: Deps) {
  const { db, clock, log, nodeId } = deps
  const reader: Kysely<OperationTables> = db.main.reader
  const writer: Kysely<OperationTables> = db.main.writer
  const startedAtMs = clock.now()
  const timer = db.dialect.singleProcess ? undefined : setInterval(say, SAY_EVERY_MS).unref()
  if (timer) void say()
  return { list, close }

  async function list(): Promise<Node[]> {
    const own = current()
    const rows = db.dialect.singleProcess
      ? []
      : await findNodes(reader, clock.now() - GONE_AFTER_MS)
    const known = rows.some(({ id }) => id === nodeId) ? rows : [...rows, own]
    return known.map((row) => {
      const isThis = row.id === nodeId
      return { ...row, ...(isThis ? own : {}), roles: row.roles.split(','), isThis }
    })
  }

  async function say(): Promise<void> {
    try {
      await saveNode(writer, current())
      await deleteNodesBefore(writer, clock.now() - FORGOTTEN_AFTER_MS)
    } catch (error) {
      log.debug({ err: error }, 'other nodes could not be told that this one is there')
    }
  }

  function current(): NodeRow {
    return {
      id: nodeId,
      host: hostname(),
      pid: process.pid,
      version: deps.version,
      roles: deps.roles.join(),
      threads: countThreads(),
      gateway_threads: deps.gatewayThreads(),
      memory_bytes: process.memoryUsage.rss(),
      started_at: startedAtMs,
      seen_at: clock.now(),
    }
  }

  async function close(): Promise<void> {
    clearInterval(timer)
    // What cannot be said any more is seen by its silence.
    if (timer) await deleteNode(writer, nodeId).catch(() => {})
  }
}

export type Nodes = ReturnType<typeof createNodes>

/** Linux tells; elsewhere 1, this one. */
function countThreads(): number {
  try {
    return readdirSync('/proc/self/task').length
  } catch {
    return 1
  }
}
