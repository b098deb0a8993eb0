import type { ContentType } from '../../model.ts'
import type { Detail } from '../ast.ts'
import { type Sql, sql } from '../fragment.ts'

/** What every answer needs comes first, so that rows of less detail end earlier. */
const BRIEF = [
  'copy_no',
  'id',
  'document_id',
  'locale',
  'created_at',
  'updated_at',
  'published_at',
  'shape',
  'doc',
] as const
/** Of what the registry knows of the entry. */
const PLACED = ['parent', 'sort_order', 'is_root', 'path', 'external_id'] as const
const OF_ENTRY = [
  'has_live',
  'changed',
  'version',
  'created_by',
  'publish_at',
  'unpublish_at',
  'schedule_fault',
  'updated_by',
] as const
const OF_COPY = ['revision_id', 'hidden'] as const

const PLACES = [...BRIEF, ...PLACED, ...OF_ENTRY, ...OF_COPY] as const
type EntryColumn = (typeof PLACES)[number]

const columns = (alias: string, names: readonly EntryColumn[]) =>
  names.map((name) => sql.ref(`${alias}.${name}`))
const BRIEF_COLUMNS = columns('d', BRIEF)
const PLACED_COLUMNS = [...BRIEF_COLUMNS, ...columns('e', PLACED)]
const COLUMNS: Readonly<Record<Detail, readonly Sql[]>> = {
  brief: BRIEF_COLUMNS,
  placed: PLACED_COLUMNS,
  whole: [...PLACED_COLUMNS, ...columns('e', OF_ENTRY), ...columns('d', OF_COPY)],
}

/** Of the rows `entrySource` joins. */
export function entryColumns(detail: Detail): readonly Sql[] {
  return COLUMNS[detail]
}

/** The place of a column among `entryColumns`. */
export function columnIndexOf(name: EntryColumn): number {
  return PLACES.indexOf(name)
}

/** Joins the rest of copies that were found by number, and their entries. */
export function entrySource({ table }: ContentType, copyNo: Sql, detail: Detail): Sql {
  const copies = sql`join ${sql.table(table)} as d on d.copy_no = ${copyNo}`
  return detail === 'brief' ? copies : sql`${copies} join content_entries as e on e.no = d.entry_no`
}
