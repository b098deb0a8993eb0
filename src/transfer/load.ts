import { type Database, migrate } from '#db'
import {
  createLoader,
  endMove,
  type Row,
  saveMove,
  sizeOf,
  type TableInfo,
  unknownMigrations,
} from '#db-transfer'
import { type Log, OperatorError } from '#kernel'
import type { Contents } from './backup-file.ts'
import type { Files } from './files.ts'
import { type BackupRecord, createByteSum, type Header } from './records.ts'

export interface Target {
  readonly database: Database
  readonly files: Files
  /** The directory of migrations. */
  readonly migrations: string
  /** Makes what is made of rows: indexes of tables that types have, and the like. */
  complete(database: Database): Promise<void>
  readonly log: Log
}

/** The migration that makes the mark of a database which is not whole; it depends on no other. */
const MARKING_MIGRATION = '0124_kernel_moves.ts'
/** The one that makes room for files, which a backup of an older schema has, too; it depends on no other. */
const FILES_MIGRATION = '0153_content_file_bytes.ts'

const PAGE_BYTES = 1024 * 1024
const PAGE_ROWS = 1_000

/**
 * Fills an empty database with what comes. Its schema is brought to where the rows were, then the rows come, then
 * later migrations change both, as they would have there. A start is refused until all of it is done.
 */
export async function load(
  records: AsyncIterable<BackupRecord>,
  target: Target,
  about: { readonly peer: string; readonly atMs: number },
): Promise<Contents> {
  const { database, files, migrations: directory, log } = target
  const loader = createLoader(database)
  const contents: Contents = { tables: 0, rows: 0, files: 0, fileBytes: 0 }
  const iterator = records[Symbol.asyncIterator]()
  let header: Header | undefined
  let table: TableInfo | undefined
  let page: Row[] = []
  let pageBytes = 0
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    const record = next.value
    if (record.kind === 'header') header = await begin(record.header)
    else if (record.kind === 'table') table = tableOf(record.name)
    else if (record.kind === 'rows') await add(record.rows)
    else if (record.kind === 'table end') await flush()
    else if (record.kind === 'file') await writeFile(record.path)
  }
  if (!header) throw new Error('nothing came')
  await loader.keepNumbers(header.tables, header.sequences)
  await migrate({ database, directory, log })
  await target.complete(database)
  await endMove(database.main.writer, 'in')
  return contents

  async function begin(given: Header): Promise<Header> {
    refuseNewer(given.migrations, directory, given.version)
    await refuseMigrated(given.migrations)
    await prepareTarget(target, new Set(given.migrations), { id: 'backup', ...about })
    await loader.prepare(given.tables)
    await loader.empty(given.tables)
    contents.tables = given.tables.length
    return given
  }

  /** Broken off after its last row, a restore has changed the rows: they cannot come again as they were. */
  async function refuseMigrated(names: readonly string[]) {
    const known = new Set([...names, MARKING_MIGRATION, FILES_MIGRATION])
    const had = await migrationsOf(database)
    if (had.every((name) => known.has(name))) return
    throw new OperatorError(
      'A restore was broken off here while its tables were brought up to date. Name an empty database, or give --replace for SQLite.',
    )
  }

  function tableOf(name: string): TableInfo {
    const found = header?.tables.find((one) => one.name === name)
    if (!found) throw new Error(`the header does not know the table ${name}`)
    return found
  }

  async function add(rows: readonly Row[]) {
    page.push(...rows)
    for (const row of rows) pageBytes += sizeOf(row)
    if (page.length >= PAGE_ROWS || pageBytes >= PAGE_BYTES) await flush()
  }

  async function flush() {
    const [into, rows] = [table, page]
    page = []
    pageBytes = 0
    if (!into || rows.length === 0) return
    await loader.homeOf(into).transaction(undefined, (tx) => loader.insert(tx.as(), into, rows))
    contents.rows += rows.length
  }

  async function writeFile(path: string) {
    const sum = createByteSum()
    await files.write(path, chunks())
    contents.files++
    contents.fileBytes += sum.result().bytes

    async function* chunks() {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        if (next.value.kind !== 'bytes') return
        sum.add(next.value.bytes)
        yield next.value.bytes
      }
    }
  }
}

/** Marks it before there is anything in it, then makes the schema. */
export async function prepareTarget(
  { database, migrations: directory, log }: Target,
  names: ReadonlySet<string>,
  move: { readonly id: string; readonly peer: string; readonly atMs: number },
): Promise<void> {
  const { id, peer, atMs: startedAtMs } = move
  await migrate({ database, directory, log, only: new Set([MARKING_MIGRATION]) })
  await saveMove(database.main.writer, { direction: 'in', id, peer, startedAtMs, state: 'copying' })
  await migrate({ database, directory, log, only: new Set([...names, FILES_MIGRATION]) })
}

export function refuseNewer(names: readonly string[], directory: string, version: string): void {
  const foreign = unknownMigrations(names, directory).sort()
  if (foreign.length === 0) return
  throw new OperatorError(
    `It was made by a newer Entrepot (${version}, ${foreign.at(-1)}). Take that version or a later one.`,
  )
}

/** Nothing was ever in it, or nothing but the mark of a move that had just begun. */
export async function isEmpty(database: Database): Promise<boolean> {
  return (await migrationsOf(database)).every((name) => name === MARKING_MIGRATION)
}

/** Those that it has had; none where there is no table of them yet. */
async function migrationsOf({ main }: Database): Promise<string[]> {
  const rows = await main.reader
    .selectFrom('kernel_migrations')
    .select('name')
    .execute()
    .catch(() => [])
  return rows.map(({ name }) => String(name))
}
