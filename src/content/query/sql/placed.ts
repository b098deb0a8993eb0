import { type Sql, sql } from '../fragment.ts'
import type { Condition } from '../resolved.ts'
import type { Slot } from '../slot.ts'
import { anyOf, type Compiling, column, NEVER, type Row } from './context.ts'

type Placed = Extract<Condition, { kind: 'placed' }>
type EntryRow = Extract<Row, { kind: 'entry' }>

/** As a range, because SQLite finds no index for what is not null. */
const HAS_PARENT = sql`parent > ''`

/** Which entries stand below or above a place: by their parents, whatever their paths say. */
export function compilePlaced(
  to: Compiling,
  row: EntryRow,
  { axis, of }: Placed,
  negated: boolean,
): Sql {
  const found =
    'collection' in of
      ? inCollection(to, row, axis, of.collection.no)
      : near(to, row, axis, of.documentId)
  return negated ? sql`not (${found})` : found
}

function near(to: Compiling, row: EntryRow, axis: Placed['axis'], documentId: Slot): Sql {
  if (axis === 'children') {
    return sql`${column(row.alias, 'entry_no')} in (select no from content_entries where parent = ${documentId} and type_no = ${sql.lit(row.type.no)})`
  }
  to.noteScan()
  if (axis === 'ancestors') return isOneOf(row, above(documentId))
  return isOneOf(
    row,
    below(sql`select document_id from content_entries where parent = ${documentId}`),
  )
}

function isOneOf(row: EntryRow, documents: Sql): Sql {
  return sql`${column(row.alias, 'document_id')} in (${documents})`
}

function above(documentId: Slot): Sql {
  return sql`with recursive above (document_id) as (select parent from content_entries where document_id = ${documentId} and parent is not null union select e.parent from content_entries as e join above on e.document_id = above.document_id where e.parent is not null) select document_id from above`
}

/** A set, so that variants of one document and even a loop end it. */
function below(children: Sql): Sql {
  return sql`with recursive below (document_id) as (${children} union select e.document_id from content_entries as e join below on e.parent = below.document_id) select document_id from below`
}

function inCollection(to: Compiling, row: EntryRow, axis: Placed['axis'], typeNo: number): Sql {
  if (axis === 'ancestors') return NEVER
  const no = sql.lit(typeNo)
  const isTop = row.type.no === typeNo ? [isTopmost(row)] : []
  if (axis === 'children') return anyOf(isTop)
  to.noteScan()
  const isTopmostAbove = sql`exists (select 1 from content_entries as t where t.document_id = e.parent and t.type_no = ${no} and t.parent is null and t.is_root = 0)`
  // Few entries have a parent at all, while a collection may be long.
  const children = sql`select e.document_id from content_entries as e where e.${HAS_PARENT} and ${isTopmostAbove}`
  return anyOf([...isTop, isOneOf(row, below(children))])
}

/** Most collections are flat: the few entries that hang elsewhere are found by indexes. */
function isTopmost(row: EntryRow): Sql {
  const ofType = sql`type_no = ${sql.lit(row.type.no)}`
  const others = sql`select no from content_entries where ${HAS_PARENT} and ${ofType} union all select no from content_entries where path = '/' and ${ofType}`
  return sql`${column(row.alias, 'entry_no')} not in (${others})`
}
