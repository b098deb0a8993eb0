import type { ContentType } from '../../model.ts'
import { type Sql, sql } from '../fragment.ts'

/** Of a copy and of what the registry knows of its entry, in this order. */
const OF_COPY = [
  'copy_no',
  'id',
  'document_id',
  'locale',
  'created_at',
  'updated_at',
  'published_at',
  'revision_id',
  'shape',
  'doc',
  'hidden',
] as const
const OF_ENTRY = [
  'has_live',
  'changed',
  'parent',
  'sort_order',
  'is_root',
  'path',
  'version',
  'external_id',
  'created_by',
] as const

type EntryColumn = (typeof OF_COPY)[number] | (typeof OF_ENTRY)[number]

const NAMES: readonly EntryColumn[] = [...OF_COPY, ...OF_ENTRY]

/** Of the rows `entrySource` joins. */
export const ENTRY_COLUMNS: readonly Sql[] = [
  ...OF_COPY.map((name) => sql.ref(`d.${name}`)),
  ...OF_ENTRY.map((name) => sql.ref(`e.${name}`)),
]

/** The place of a column among `ENTRY_COLUMNS`. */
export function placeOf(name: EntryColumn): number {
  return NAMES.indexOf(name)
}

/** Joins the rest of copies that were found by number, and their entries. */
export function entrySource({ table }: ContentType, copyNo: Sql): Sql {
  return sql`join ${sql.table(table)} as d on d.copy_no = ${copyNo} join content_entries as e on e.no = d.entry_no`
}
