import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import type { Clock } from '../clock.ts'
import { OperatorError } from '../errors.ts'
import { sqliteFiles } from './open.ts'
import { lockDataDirectory } from './sqlite/lock.ts'

interface Deps {
  readonly dataDir: string
  readonly clock: Clock
  readonly version: string
  /** Told of every part as it is done, because large files take their time. */
  onProgress(line: string): void
}

interface Manifest {
  readonly format: 1
  readonly version: string
  readonly createdAt: string
}

const MANIFEST = 'backup.json'
const UPLOADS = 'uploads'

/** Copies both database files and the uploads while the server runs; the master key is left out. */
export async function backupTo(directory: string, deps: Deps): Promise<void> {
  const { dataDir, clock, version, onProgress } = deps
  const files = sqliteFiles(dataDir)
  if (!existsSync(files.main)) throw new OperatorError(`There is no database in ${dataDir}.`)
  if (existsSync(directory) && readdirSync(directory).length > 0) {
    throw new OperatorError(`${directory} is not empty. Name a new directory for the backup.`)
  }
  mkdirSync(directory, { recursive: true })
  for (const [name, file] of Object.entries(files)) {
    const source = new DatabaseSync(file, { readOnly: true })
    const pages = await backup(source, join(directory, `${name}.db`))
    source.close()
    onProgress(`${name}.db, ${pages} pages`)
  }
  const uploads = join(dataDir, UPLOADS)
  if (existsSync(uploads)) {
    cpSync(uploads, join(directory, UPLOADS), { recursive: true })
    onProgress('uploads')
  }
  const createdAt = new Date(clock.now()).toISOString()
  const manifest: Manifest = { format: 1, version, createdAt }
  // Last: a directory without it is an interrupted backup and is not restored.
  writeFileSync(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
}

/**
 * Puts a backup into the data directory of a stopped server. What is there is moved aside and never
 * deleted; returns where to, or null when there was nothing.
 */
export function restoreFrom(directory: string, deps: Deps): string | null {
  const { dataDir, clock, onProgress } = deps
  const manifest = readManifest(directory)
  mkdirSync(dataDir, { recursive: true })
  const unlock = lockDataDirectory(dataDir)
  try {
    const aside = moveAside(dataDir, clock)
    for (const [name, file] of Object.entries(sqliteFiles(dataDir))) {
      cpSync(join(directory, `${name}.db`), file)
      onProgress(`${name}.db of ${manifest.createdAt}`)
    }
    const uploads = join(directory, UPLOADS)
    if (existsSync(uploads)) {
      cpSync(uploads, join(dataDir, UPLOADS), { recursive: true })
      onProgress('uploads')
    }
    return aside
  } finally {
    unlock()
  }
}

function readManifest(directory: string): Manifest {
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
function moveAside(dataDir: string, clock: Clock): string | null {
  const { main, aux } = sqliteFiles(dataDir)
  const old = [main, aux].flatMap((file) => [file, `${file}-wal`, `${file}-shm`])
  const present = [...old, join(dataDir, UPLOADS), join(dataDir, 'journal')].filter(existsSync)
  if (present.length === 0) return null
  const stamp = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-')
  const aside = join(dataDir, `before-restore-${stamp}`)
  mkdirSync(aside)
  for (const path of present) renameSync(path, join(aside, path.slice(dataDir.length + 1)))
  return aside
}
