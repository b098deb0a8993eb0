import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import type { Clock } from '../clock.ts'
import { OperatorError } from '../errors.ts'
import { makeDirectory } from '../make-directory.ts'
import { sqliteFiles } from './open.ts'
import { closeToOthers } from './private-files.ts'
import { lockDataDirectory } from './sqlite/lock.ts'

interface Deps {
  readonly dataDir: string
  readonly clock: Clock
  readonly version: string
}

/** What a backup or a restore has copied. */
export interface Copied {
  readonly name: string
  readonly bytes: number
}

interface Manifest {
  readonly format: 1
  readonly version: string
  readonly createdAt: string
}

const MANIFEST = 'backup.json'
/** In the data directory, while a backup is copied there. */
const COMING = 'restore-under-way'
const UPLOADS = 'uploads'
const ALL_PAGES = 2 ** 31 - 1

/** Copies both database files and the uploads while the server runs; the master key is left out. */
export async function backupTo(directory: string, deps: Deps): Promise<Copied[]> {
  const { dataDir } = deps
  if (!existsSync(sqliteFiles(dataDir).main)) {
    throw new OperatorError(`There is no database in ${dataDir}.`)
  }
  makeEmpty(directory)
  try {
    return await copyInto(directory, deps)
  } catch (error) {
    // On a full disk the half of it would take the room that is left, and stand in the way of the next try.
    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true })
    throw error
  }
}

function makeEmpty(directory: string): void {
  try {
    makeDirectory(directory)
    if (readdirSync(directory).length === 0) return
  } catch (error) {
    throw new OperatorError(`${directory} cannot be written to: ${String(error)}`, error)
  }
  throw new OperatorError(`${directory} is not empty. Name a new directory for the backup.`)
}

async function copyInto(directory: string, { dataDir, clock, version }: Deps): Promise<Copied[]> {
  const copied: Copied[] = []
  const files = sqliteFiles(dataDir)
  for (const [name, file] of Object.entries(files)) {
    const source = new DatabaseSync(file, { readOnly: true })
    const target = join(directory, `${name}.db`)
    // In one step: between steps every write of the server would make it begin anew, without end.
    await backup(source, target, { rate: ALL_PAGES })
    source.close()
    copied.push({ name: `${name}.db`, bytes: statSync(target).size })
  }
  const uploads = join(dataDir, UPLOADS)
  if (existsSync(uploads)) {
    cpSync(uploads, join(directory, UPLOADS), { recursive: true })
    copied.push({ name: UPLOADS, bytes: bytesIn(uploads) })
  }
  const createdAt = new Date(clock.now()).toISOString()
  const manifest: Manifest = { format: 1, version, createdAt }
  // Last: a directory without it is an interrupted backup and is not restored.
  writeFileSync(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
  closeToOthers(directory)
  return copied
}

/**
 * Puts a backup into the data directory of a stopped server. Data that is there is refused, or with
 * `replace` moved aside, never deleted; `aside` says where to.
 */
export function restoreFrom(
  directory: string,
  { dataDir, clock, replace }: Deps & { readonly replace: boolean },
): { copied: Copied[]; aside: string | null } {
  readManifest(directory)
  makeDirectory(dataDir)
  const unlock = lockDataDirectory(dataDir)
  const coming = join(dataDir, COMING)
  try {
    refusePresent({ dataDir, clock, replace })
    // Whole before anything is moved: what breaks off here leaves everything as it was.
    const copied = copyBeside(directory, coming)
    const aside = clear({ dataDir, clock, replace })
    for (const name of readdirSync(coming)) renameSync(join(coming, name), join(dataDir, name))
    closeToOthers(dataDir)
    return { copied, aside }
  } finally {
    rmSync(coming, { recursive: true, force: true })
    unlock()
  }
}

/** Under the names that the data directory has for them; what an earlier try has left there goes. */
function copyBeside(directory: string, coming: string): Copied[] {
  rmSync(coming, { recursive: true, force: true })
  mkdirSync(coming)
  const parts = Object.entries(sqliteFiles(coming)).map(([name, file]) => [`${name}.db`, file])
  const uploads = [UPLOADS, join(coming, UPLOADS)]
  const copied: Copied[] = []
  for (const [name = '', target = ''] of [...parts, uploads]) {
    const source = join(directory, name)
    if (!existsSync(source)) continue
    cpSync(source, target, { recursive: true })
    copied.push({ name, bytes: bytesIn(target) })
  }
  return copied
}

interface Room {
  readonly dataDir: string
  readonly clock: Clock
  readonly replace: boolean
  /** Files and journal stay: they belong to what comes, too. */
  readonly onlyDatabase?: boolean
}

/** The same room for a database that comes in another way; where to what was there has gone. */
export function makeRoom(room: Room): string | null {
  makeDirectory(room.dataDir)
  const unlock = lockDataDirectory(room.dataDir)
  try {
    return clear(room)
  } finally {
    unlock()
  }
}

function clear(room: Room): string | null {
  const { dataDir, clock, onlyDatabase } = room
  const present = refusePresent(room)
  return moveAside(dataDir, present, clock, onlyDatabase ? 'moved-away' : 'before-restore')
}

/** What is there and may be moved. */
function refusePresent({ dataDir, replace, onlyDatabase = false }: Room): readonly string[] {
  const present = onlyDatabase ? databaseFilesIn(dataDir) : presentIn(dataDir)
  if (present.length === 0 || replace) return present
  throw new OperatorError(
    `${dataDir} holds data already. Say --replace to move it aside and restore the backup.`,
  )
}

export function readManifest(directory: string): Manifest {
  const file = join(directory, MANIFEST)
  if (!existsSync(file)) {
    throw new OperatorError(`${directory} is not a complete backup: ${MANIFEST} is missing.`)
  }
  const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'))
  if (manifest.format !== 1) {
    throw new OperatorError(`${directory} was made by a newer Entrepot (${manifest.version}).`)
  }
  return manifest
}

/** The journal belongs to the old database: draining it into the restored one would be wrong. */
function presentIn(dataDir: string): string[] {
  const others = [join(dataDir, UPLOADS), join(dataDir, 'journal')]
  return [...databaseFilesIn(dataDir), ...others.filter(existsSync)]
}

function databaseFilesIn(dataDir: string): string[] {
  const { main, aux } = sqliteFiles(dataDir)
  return [main, aux].flatMap((file) => [file, `${file}-wal`, `${file}-shm`]).filter(existsSync)
}

function moveAside(
  dataDir: string,
  present: readonly string[],
  clock: Clock,
  why: string,
): string | null {
  if (present.length === 0) return null
  const stamp = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-')
  const aside = join(dataDir, `${why}-${stamp}`)
  mkdirSync(aside)
  for (const path of present) renameSync(path, join(aside, basename(path)))
  return aside
}

function bytesIn(path: string): number {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.size
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
}
