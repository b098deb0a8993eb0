import type { Attribute, ContentType } from '../../api/content.ts'
import { messageOf } from '../../api/errors.ts'
import { AT_ONCE, sendBulk } from './bulk.ts'
import type { ReadRow } from './parse-rows.ts'

/** What became of one line. */
export interface Outcome {
  readonly line: number
  readonly fault?: string | undefined
}

const NUMBERS = ['integer', 'float', 'decimal']
/** In a cell they are JSON. */
const OF_PARTS = ['json', 'link', 'tags', 'component', 'dynamiczone']
/** Of an export: the server gives every entry its own. */
const NOT_WRITTEN = [
  'id',
  'document_id',
  'created_at',
  'updated_at',
  'published_at',
  'path',
  'tree_parent_id',
  'sort_order',
  'is_root',
]

/**
 * Lines become entries, a hundred at a time; a refused one does not keep the others out. When the server no longer
 * answers, the lines that are left say why they were not taken.
 */
export async function importRows(
  type: ContentType,
  rows: readonly ReadRow[],
  onProgress: (outcomes: readonly Outcome[]) => void,
): Promise<void> {
  const outcomes: Outcome[] = []
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const part = rows.slice(from, from + AT_ONCE)
    const good = part.filter(({ values }) => values)
    const operations = good.map(({ values = {} }) => toOperation(type, values))
    try {
      const faults = await sendBulk(type, operations)
      for (const row of part) {
        outcomes.push({ line: row.line, fault: row.fault ?? faults.get(good.indexOf(row)) })
      }
      onProgress([...outcomes])
    } catch (error) {
      const fault = `Not taken: ${messageOf(error)}`
      return onProgress([...outcomes, ...rows.slice(from).map(({ line }) => ({ line, fault }))])
    }
  }
}

/** What has a name of its own elsewhere is changed when it comes again. */
function toOperation(type: ContentType, values: Readonly<Record<string, unknown>>) {
  const data = Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => !NOT_WRITTEN.includes(name))
      .map(([name, value]) => [name, toValue(type.attributes[name], value)]),
  )
  return data['external_id'] ? { op: 'upsert', key: 'external_id', data } : { op: 'create', data }
}

/** Cells are texts. */
function toValue(attribute: Attribute | undefined, value: unknown): unknown {
  if (typeof value !== 'string' || !attribute) return value
  if (NUMBERS.includes(attribute.type) && value.trim() !== '' && Number.isFinite(Number(value)))
    return Number(value)
  if (attribute.type === 'boolean')
    return value === 'true' || value === 'false' ? value === 'true' : value
  if (OF_PARTS.includes(attribute.type) || attribute.format === 'blocks') {
    try {
      return JSON.parse(value)
    } catch {
      return attribute.type === 'tags' ? value.split(',').map((tag) => tag.trim()) : value
    }
  }
  return value
}
