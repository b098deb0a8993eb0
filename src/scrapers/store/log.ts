import { type Kysely, type Selectable, sql } from 'kysely'
import type { WriteStep } from '#db'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { Change, LogLevel, LogLine, LogType } from '../records.ts'
import type { ScrapersTables } from '../tables.ts'

type Db = Kysely<ScrapersTables>

export interface NewLine {
  readonly atMs: number
  readonly level: LogLevel
  readonly type: LogType
  readonly url?: string | null
  readonly statusCode?: number | null
  readonly message: string
}

/** What the progress stream tells of an item. */
interface ItemNotice {
  readonly id: number
  readonly url: string
  readonly title: string | null
  readonly change: Change
}

/** The notice of an item that an earlier step of the same write stores. */
export interface NewNotice extends Omit<ItemNotice, 'id'> {
  readonly atMs: number
  readonly keyHash: string
  /** How many of the items that are stored with it have the same key and come later. */
  readonly laterOfKey: number
}

/** A line of the log, or an item, by one rising number. */
export type StreamLine =
  | { readonly id: number; readonly item: ItemNotice }
  | { readonly id: number; readonly line: LogLine }

/** Only in the stream: the list of log lines passes over it. */
const ITEM = 'item'
const ROWS_PER_INSERT = 100
const MAX_MESSAGE = 1_000

/** In their order. */
export function lineSteps(
  db: Db,
  runId: number,
  lines: readonly (NewLine | NewNotice)[],
): WriteStep[] {
  const steps: WriteStep[] = []
  for (let at = 0; at < lines.length; at += ROWS_PER_INSERT) {
    const rows = lines.slice(at, at + ROWS_PER_INSERT).map((line) => toRow(runId, line))
    steps.push({ query: db.insertInto('scrapers_log').values(rows) })
  }
  return steps
}

function toRow(runId: number, line: NewLine | NewNotice) {
  const common = { run_id: runId, at: line.atMs }
  if ('change' in line) {
    const { url } = line
    const item = noticeOf(runId, line)
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

/** The text of an `ItemNotice`. Only the database knows the number of the item. */
function noticeOf(runId: number, { keyHash, laterOfKey, url, title, change }: NewNotice) {
  const [before, after] = ['{"id":', `,${JSON.stringify({ url, title, change }).slice(1)}`]
  return sql<string>`cast(${before} as text) || (
    select cast(id as text) from scrapers_items where run_id = ${runId} and key_hash = ${keyHash}
    order by id desc limit 1 offset ${laterOfKey}) || cast(${after} as text)`
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
