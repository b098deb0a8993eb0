import type { ContentType } from '../../model.ts'
import { type Sql, sql } from '../fragment.ts'

/** A copy with what the registry knows of its entry. */
export interface EntryRow {
  readonly copy_no: number
  readonly id: number
  readonly document_id: string
  readonly locale: string
  readonly created_at: number
  readonly updated_at: number
  readonly published_at: number | null
  readonly revision_id: number
  readonly shape: number
  readonly doc: string
  readonly hidden: string
  readonly has_live: number
  readonly changed: number
  readonly parent: string | null
  readonly sort_order: number
  readonly is_root: number
  readonly path: string | null
  readonly version: number
  readonly external_id: string | null
  readonly created_by: number | null
}

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
]
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
]

/** Of the rows `entrySource` joins. */
export const ENTRY_COLUMNS: readonly Sql[] = [
  ...OF_COPY.map((name) => sql.ref(`d.${name}`)),
  ...OF_ENTRY.map((name) => sql.ref(`e.${name}`)),
]

/** Joins the rest of copies that were found by number, and their entries. */
export function entrySource({ table }: ContentType, copyNo: Sql): Sql {
  return sql`join ${sql.table(table)} as d on d.copy_no = ${copyNo} join content_entries as e on e.no = d.entry_no`
}
