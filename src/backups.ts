/** What `backup`, `restore` and `move` do on this host, beside a running server or without one. */
import { existsSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Config } from '#config'
import { completeContent } from '#content-jobs'
import { type Database, prepareDataDirectory, sqliteFiles } from '#db'
import {
  backupTo,
  type Copied,
  findMove,
  makeRoom,
  openSnapshot,
  readManifest,
  restoreFrom,
} from '#db-transfer'
import { createClock, createIds, OperatorError, random } from '#kernel'
import {
  BACKUP_ENDING,
  type Contents,
  cancelMove,
  countMissing,
  filesIn,
  isEmpty,
  load,
  type Missing,
  type Moved,
  move,
  type Place,
  readBackup,
  recordsOf,
  type Target,
  verifyBackup,
  writeBackup,
} from '#transfer'
import { MIGRATIONS, openBare, version } from './platform.ts'
import { storedFiles } from './stored-files.ts'

/** Names of what was copied, with how much it was. */
export type Listed = readonly (readonly [string, string])[]

/** What there is no way to copy: files that lie in the directory of another node. */
const NONE_MISSING: Missing = { count: 0, example: null }

/** Also while a server runs: what is written meanwhile is not in it. */
export async function backup(
  config: Config,
  target: string,
): Promise<{ readonly copied: Listed; readonly missing: Missing }> {
  const clock = createClock()
  if (!target.endsWith(BACKUP_ENDING)) {
    if (config.databaseUrl !== undefined) throw onlyFiles(config)
    const copied = await backupTo(target, { dataDir: config.dataDir, clock, version })
    return { copied: listCopied(copied), missing: NONE_MISSING }
  }
  if (existsSync(target)) throw new OperatorError(`${target} is there already. Take a new name.`)
  const createdAt = new Date(clock.now()).toISOString()
  const snapshot = await openSnapshot(placeOf(config, config.databaseUrl).at)
  const { database, log, stop } = await openBare(config, {
    ...{ url: config.databaseUrl, isThere: true, anyVersion: true },
  })
  try {
    // Older databases have no place for them yet.
    const isKnown = snapshot.migrations.includes('0153_content_file_bytes.ts')
    const stored = filesOf(config, database, log)
    const files = isKnown ? stored : filesIn(uploadsIn(config))
    const { bytes, ...contents } = await writeBackup(
      target,
      recordsOf({ snapshot, files, version, createdAt }),
    )
    const copied = [...listContents(contents), [basename(target), `${bytes} bytes`]] as const
    return { copied, missing: isKnown ? await countMissing(stored) : NONE_MISSING }
  } finally {
    await stop()
    await snapshot.close()
  }
}

/** Into the data directory or the database of these settings, whichever database the backup is of. */
export async function restore(
  config: Config,
  source: string,
  { replace }: { readonly replace: boolean },
): Promise<{
  readonly copied: Listed
  readonly aside: string | null
  readonly missing: Missing
}> {
  const clock = createClock()
  const { dataDir, databaseUrl } = config
  const isFile = source.endsWith(BACKUP_ENDING) || (existsSync(source) && statSync(source).isFile())
  if (!isFile && databaseUrl === undefined) {
    const { copied, aside } = restoreFrom(source, { dataDir, clock, version, replace })
    return { copied: listCopied(copied), aside, missing: NONE_MISSING }
  }
  // Before anything is changed: a damaged one is not begun with.
  if (isFile) await verifyBackup(source)
  else readManifest(source)
  const aside = databaseUrl === undefined ? makeRoom({ dataDir, clock, replace }) : null
  const { database, log, stop } = await openBare(config, { url: databaseUrl })
  try {
    await refuseFull(database)
    const target = targetOf(config, database, log)
    const about = { peer: source, atMs: clock.now() }
    const contents = isFile
      ? await load(readBackup(source), target, about)
      : await loadDirectory(source, target, about)
    const missing = await countMissing(target.files)
    return { copied: listContents(contents), aside, missing }
  } finally {
    await stop()
    prepareDataDirectory(dataDir)
  }
}

/** A directory as `backup` makes it of SQLite, for a database of the other kind. */
async function loadDirectory(source: string, target: Target, about: Parameters<typeof load>[2]) {
  const files = { main: join(source, 'main.db'), aux: join(source, 'aux.db') }
  const snapshot = await openSnapshot({ files })
  try {
    const createdAt = new Date(about.atMs).toISOString()
    const uploads = filesIn(join(source, 'uploads'))
    return await load(recordsOf({ snapshot, files: uploads, version, createdAt }), target, about)
  } finally {
    await snapshot.close()
  }
}

async function refuseFull(database: Database): Promise<void> {
  const incoming = await findMove(database.main.reader, 'in').catch(() => undefined)
  // One that was broken off is begun again: all it has put there goes first.
  if (incoming?.id === 'backup' || (await isEmpty(database))) return
  throw new OperatorError('The database holds data already. Name an empty one to restore into.')
}

/** `to`: `sqlite` (in the data directory) or the URL of a PostgreSQL database. */
export async function moveTo(
  config: Config,
  to: string,
  progress: (text: string) => void,
): Promise<Moved & { readonly name: string; readonly missing: Missing }> {
  const url = parseTarget(config, to)
  const clock = createClock()
  const ids = createIds({ clock, random })
  const source = await openBare(config, { url: config.databaseUrl, isThere: true })
  try {
    if (url === undefined) await clearMoved(config)
    const target = await openBare(config, { url, urlFrom: '--to' })
    try {
      const place = placeOf(config, url)
      const from = placeOf(config, config.databaseUrl)
      const files = filesOf(config, source.database, source.log)
      const moved = await move({
        source: { ...from, database: source.database, files },
        target: { ...place, ...targetOf(config, target.database, target.log) },
        ...{ version, progress, newId: ids.uuid, now: clock.now },
      })
      return { ...moved, name: place.name, missing: await countMissing(files) }
    } finally {
      await target.stop()
    }
  } finally {
    await source.stop()
  }
}

/** False when nothing was being moved. */
export async function cancelMoving(config: Config): Promise<boolean> {
  const { database, stop } = await openBare(config, { url: config.databaseUrl, isThere: true })
  try {
    return await cancelMove(database)
  } finally {
    await stop()
  }
}

/** A database that was moved away from this directory earlier is of no use there any more. */
async function clearMoved(config: Config): Promise<void> {
  if (!existsSync(sqliteFiles(config.dataDir).main)) return
  const { database, stop } = await openBare(config, { url: undefined, isThere: true })
  const out = await findMove(database.main.reader, 'out').catch(() => undefined)
  await stop()
  if (out?.state !== 'moved') return
  makeRoom({ dataDir: config.dataDir, clock: createClock(), replace: true, onlyDatabase: true })
}

function parseTarget({ databaseUrl }: Config, to: string): string | undefined {
  if (to === 'sqlite') {
    if (databaseUrl !== undefined) return undefined
    throw new OperatorError('This installation has SQLite already. Name the database to move to.')
  }
  const isUrl = URL.canParse(to) && /^postgres(ql)?:$/.test(new URL(to).protocol)
  if (!isUrl) {
    throw new OperatorError(`Say --to postgres://user:password@host/database, or --to sqlite.`)
  }
  if (to === databaseUrl) throw new OperatorError('That is the database of this installation.')
  return to
}

function placeOf({ dataDir }: Config, url: string | undefined): Place {
  if (url === undefined) {
    const files = sqliteFiles(dataDir)
    if (!existsSync(files.main)) throw new OperatorError(`There is no database in ${dataDir}.`)
    return { name: `SQLite in ${resolve(dataDir)}`, at: { files } }
  }
  const shown = new URL(url)
  shown.password = ''
  return { name: shown.href, at: { url } }
}

function targetOf(config: Config, database: Database, log: Target['log']): Target {
  const files = filesOf(config, database, log)
  return { database, files, migrations: MIGRATIONS, complete: completeContent, log }
}

function filesOf(config: Config, db: Database, log: Target['log']) {
  return storedFiles({ db, log, clock: createClock(), directory: uploadsIn(config) })
}

function uploadsIn({ dataDir }: Config): string {
  return resolve(dataDir, 'uploads')
}

function onlyFiles({ dataDir }: Config): OperatorError {
  return new OperatorError(
    `The database is PostgreSQL: end the name in ${BACKUP_ENDING} for one file with all of it, or save it with pg_dump and copy the uploads from ${dataDir}.`,
  )
}

function listCopied(copied: readonly Copied[]): Listed {
  return copied.map(({ name, bytes }) => [name, `${bytes} bytes`])
}

function listContents({ tables, rows, files, fileBytes }: Contents): Listed {
  return [
    ['tables', `${tables}, with ${rows} rows`],
    ['files', `${files}, with ${fileBytes} bytes`],
  ]
}
