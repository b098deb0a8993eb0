import { open as openFile, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Bus } from '#bus'
import { type Clock, conflict, isObject, notFound } from '#kernel'
import { BACKUP_HERE_TOPIC, findBackups, MAKE_BACKUP } from '#transfer'

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
  let missingFiles = 0
  const end = bus.subscribe(BACKUP_HERE_TOPIC, (message) => {
    const { ok, missing }: Record<string, unknown> = isObject(message) ? message : {}
    runningSinceMs = null
    failedAtMs = ok === true ? null : clock.now()
    if (ok === true) missingFiles = Number(missing ?? 0)
  })
  return { list, state, make, open, remove, close: end }

  /** The newest first. */
  async function list(): Promise<Backup[]> {
    const found = await findBackups(directory)
    const sized = found.map(async ({ path, atMs }): Promise<Backup | null> => {
      // A newer one may be whole meanwhile, which removes the oldest.
      const size = await sizeOf(path)
      return size === null ? null : { name: basename(path), path, bytes: size, atMs }
    })
    return (await Promise.all(sized)).filter((backup) => backup !== null).reverse()
  }

  function state() {
    return { runningSinceMs, failedAtMs, missingFiles }
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
    const { path } = await get(name)
    // Open before anything is answered: what is removed meanwhile is still sent whole.
    const file = await openFile(path).catch(() => {
      throw notFound('backup')
    })
    const { size } = await file.stat()
    return { name, bytes: size, stream: file.createReadStream() }
  }

  async function remove(name: string): Promise<void> {
    await rm((await get(name)).path, { force: true })
  }

  /** Only what is listed: a name is never made a path. */
  async function get(name: string): Promise<Backup> {
    const found = (await list()).find((backup) => backup.name === name)
    if (!found) throw notFound('backup')
    return found
  }
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  )
}

export type Backups = ReturnType<typeof createBackups>
