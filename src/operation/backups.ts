import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Bus } from '#bus'
import { type Clock, conflict, notFound } from '#kernel'
import { BACKUP_TOPIC, findBackups, MAKE_BACKUP } from '#transfer'

interface Deps {
  readonly directory: string
  readonly clock: Clock
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  /** Backups are made by the worker. */
  readonly hasWorker: boolean
}

export interface Backup {
  readonly name: string
  readonly path: string
  readonly bytes: number
  readonly atMs: number
}

/** A worker that died over it says nothing; after so long another one may be asked for. */
const GIVEN_UP_AFTER_MS = 6 * 3_600_000

/** The backups that lie where those by schedule do, on this node. */
export function createBackups({ directory, clock, bus, hasWorker }: Deps) {
  let runningSinceMs: number | null = null
  let failedAtMs: number | null = null
  const end = bus.subscribe(BACKUP_TOPIC, (message) => {
    runningSinceMs = null
    const isMade = typeof message === 'object' && message && 'ok' in message && message.ok === true
    failedAtMs = isMade ? null : clock.now()
  })
  return { list, state, make, open, remove, close: end }

  /** The newest first. */
  async function list(): Promise<Backup[]> {
    const found = await findBackups(directory)
    const sized = found.map(async ({ path, atMs }) => {
      const { size } = await stat(path)
      return { name: basename(path), path, bytes: size, atMs }
    })
    return (await Promise.all(sized)).reverse()
  }

  function state() {
    return { runningSinceMs, failedAtMs }
  }

  async function make(): Promise<void> {
    if (!hasWorker) {
      throw conflict('no_worker', 'This node makes no backups; ask one with the role worker')
    }
    const nowMs = clock.now()
    if (runningSinceMs !== null && nowMs - runningSinceMs < GIVEN_UP_AFTER_MS) {
      throw conflict('backup_running', 'A backup is being made already; wait until it is done')
    }
    runningSinceMs = nowMs
    failedAtMs = null
    await bus.publish(MAKE_BACKUP, null)
  }

  async function open(name: string) {
    const backup = await get(name)
    return { ...backup, bytes: backup.bytes, stream: createReadStream(backup.path) }
  }

  async function remove(name: string): Promise<void> {
    await rm((await get(name)).path)
  }

  /** Only what is listed: a name is never made a path. */
  async function get(name: string): Promise<Backup> {
    const found = (await list()).find((backup) => backup.name === name)
    if (!found) throw notFound('backup')
    return found
  }
}

export type Backups = ReturnType<typeof createBackups>
