import type { Kysely, Selectable, Transaction } from 'kysely'
import { type FoundPage, findPage, type ListQuery } from '#kernel'
import type { Change, LogLevel, LogLine, LogType } from '../records.ts'
import type { ScrapersTables } from '../tables.ts'

type Db = Kysely<ScrapersTables>
type Trx = Transaction<ScrapersTables>

export interface NewLine {
  readonly atMs: number
  readonly level: LogLevel
  readonly type: LogType
  readonly url?: string | null
  readonly statusCode?: number | null
  readonly message: string
}

/** What the progress stream tells of an item. */
export interface ItemNotice {
  readonly id: number
  readonly url: string
  readonly title: string | null
  readonly change: Change
}

/** A line of the log, or an item, by one rising number. */
export type StreamLine =
  | { readonly id: number; readonly item: ItemNotice }
  | { readonly id: number; readonly line: LogLine }

/** Only in the stream: the list of log lines passes over it. */
const ITEM = 'item'
const ROWS_PER_INSERT = 100
const MAX_MESSAGE = 1_000

export async function insertLines(
  db: Trx,
  runId: number,
  lines: readonly (NewLine | (ItemNotice & { readonly atMs: number }))[],
): Promise<void> {
  for (let at = 0; at < lines.length; at += ROWS_PER_INSERT) {
    await db
      .insertInto('scrapers_log')
      .values(lines.slice(at, at + ROWS_PER_INSERT).map((line) => toRow(runId, line)))
      .execute()
  }
}

function toRow(runId: number, line: NewLine | (ItemNotice & { readonly atMs: number })) {
  const common = { run_id: runId, at: line.atMs }
  if ('change' in line) {
    const { id, url, title, change } = line
    const item = JSON.stringify({ id, url, title, change })
    return { ...common, level: 'info', type: ITEM, url, status_code: null, message: '', item }
  }
  return {
    ...common,
    level: line.level,
    type: line.type,
    url: line.url ?? null,
    status_code: line.statusCode ?? null,
    message: line.message.slice(0, MAX_MESSAGE),
    item: null,
  }
}

export async function findLines(
  db: Db,
  runId: number,
  level: string | undefined,
  list: ListQuery<'id'>,
): Promise<FoundPage<LogLine>> {
  const filtered = db
    .selectFrom('scrapers_log')
    .where('run_id', '=', runId)
    .where('type', '!=', ITEM)
    .$if(level !== undefined, (query) => query.where('level', '=', level ?? ''))
  const page = await findPage(filtered, (query) => query.selectAll(), list, { id: 'id' })
  return { ...page, rows: page.rows.map(toLine) }
}

/** Lines and items after a number, in their order. */
export async function findStream(
  db: Db,
  runId: number,
  afterId: number,
  limit: number,
): Promise<StreamLine[]> {
  const rows = await db
    .selectFrom('scrapers_log')
    .selectAll()
    .where('run_id', '=', runId)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) =>
    row.item === null
      ? { id: row.id, line: toLine(row) }
      : { id: row.id, item: toNotice(row.item) },
  )
}

function toLine(row: Selectable<ScrapersTables['scrapers_log']>): LogLine {
  return {
    id: row.id,
    atMs: row.at,
    level: LEVELS.find((level) => level === row.level) ?? 'info',
    type: TYPES.find((type) => type === row.type) ?? 'state',
    url: row.url,
    statusCode: row.status_code,
    message: row.message,
  }
}

function toNotice(text: string): ItemNotice {
  const notice: ItemNotice = JSON.parse(text)
  return notice
}

const LEVELS: readonly LogLevel[] = ['info', 'warn', 'error']
const TYPES: readonly LogType[] = ['page', 'skip', 'retry', 'error', 'state', 'publish']
