import { type CsvValue, csvLine, isObject, renderTime } from '#kernel'
import type { Json } from '../extract/values.ts'
import type { Item } from '../records.ts'

export type Items = () => AsyncIterable<Item>

/** Data fields to show; null: all of them. */
export type Fields = readonly string[] | null

/** As lists and lines of NDJSON show it (scrapers contract §5.1). */
export function renderItem(item: Item, fields: Fields): Record<string, unknown> {
  const { entry } = item
  return {
    id: item.id,
    run_id: item.runId,
    scraper_id: item.scraperId,
    url: item.url,
    status_code: item.statusCode,
    content_type: item.contentType,
    depth: item.depth,
    fetched_at: renderTime(item.fetchedAtMs),
    change: item.change,
    content_hash: item.contentHash,
    entry: entry && { type: entry.type, documentId: entry.documentId, id: entry.id },
    data: chosen(item, fields),
  }
}

function chosen({ data }: Item, fields: Fields): Json {
  const value: Json = JSON.parse(data)
  if (fields === null || !isObject(value)) return value
  return Object.fromEntries(
    fields.flatMap((name) => (Object.hasOwn(value, name) ? [[name, value[name] ?? null]] : [])),
  )
}

export async function* renderNdjson(items: Items, fields: Fields): AsyncGenerator<string> {
  for await (const item of items()) yield `${JSON.stringify(renderItem(item, fields))}\n`
}

const COLUMNS = ['id', 'run_id', 'url', 'status_code', 'fetched_at', 'change']

/** Reads the items twice: the columns are known only when all of them were seen. */
export async function* renderCsv(
  items: Items,
  fields: Fields,
  isSafe: boolean,
): AsyncGenerator<string> {
  const names = new Set<string>()
  for await (const item of items()) for (const name of cellsOf(item, fields).keys()) names.add(name)
  yield csvLine([...COLUMNS, ...names], isSafe)
  for await (const item of items()) {
    const cells = cellsOf(item, fields)
    const own = [item.id, item.runId, item.url, item.statusCode, renderTime(item.fetchedAtMs)]
    const data = [...names].map((name) => cells.get(name) ?? null)
    yield csvLine([...own, item.change, ...data], isSafe)
  }
}

/** Nested objects as `a.b`, lists as JSON. */
function cellsOf(item: Item, fields: Fields): Map<string, CsvValue> {
  const cells = new Map<string, CsvValue>()
  const value = chosen(item, fields)
  if (isObject(value)) flatten(value, '', cells)
  else cells.set('value', toCell(value))
  return cells
}

function flatten(value: Json, path: string, into: Map<string, CsvValue>): void {
  const isNothing = path !== '' && isObject(value) && Object.keys(value).length === 0
  if (!isObject(value) || isNothing) {
    into.set(path, toCell(value))
    return
  }
  for (const [name, inner] of Object.entries(value)) {
    flatten(inner, path === '' ? name : `${path}.${name}`, into)
  }
}

function toCell(value: Json): CsvValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}
