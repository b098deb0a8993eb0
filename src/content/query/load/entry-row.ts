import type { ContentType } from '../../model.ts'
import { type Sql, sql } from '../fragment.ts'

/** What every answer needs comes first: a brief row ends after it. */
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
const OF_COPY = ['revision_id', 'hidden'] as const
/** Of what the registry knows of the entry. */
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
  'publish_at',
  'unpublish_at',
  'schedule_fault',
  'updated_by',
] as const

type EntryColumn = (typeof BRIEF)[number] | (typeof OF_COPY)[number] | (typeof OF_ENTRY)[number]

const PLACES: readonly EntryColumn[] = [...BRIEF, ...OF_COPY, ...OF_ENTRY]
const BRIEF_COLUMNS = BRIEF.map((name) => sql.ref(`d.${name}`))
const ALL_COLUMNS = [
  ...BRIEF_COLUMNS,
  ...OF_COPY.map((name) => sql.ref(`d.${name}`)),
  ...OF_ENTRY.map((name) => sql.ref(`e.${name}`)),
]

/** Of the rows `entrySource` joins. */
export function entryColumns(brief: boolean): readonly Sql[] {
  return brief ? BRIEF_COLUMNS : ALL_COLUMNS
}

/** The place of a column among `entryColumns`. */
export function columnIndexOf(name: EntryColumn): number {
  return PLACES.indexOf(name)
}

/** Joins the rest of copies that were found by number, and their entries. */
export function entrySource({ table }: ContentType, copyNo: Sql, brief: boolean): Sql {
  const copies = sql`join ${sql.table(table)} as d on d.copy_no = ${copyNo}`
  return brief ? copies : sql`${copies} join content_entries as e on e.no = d.entry_no`
}
