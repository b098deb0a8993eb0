import type { SqlDialect } from '#db'
import type { Component, ComponentAttribute } from '../../model.ts'
import { type Piece, sql } from '../fragment.ts'
import type { Level } from './statement.ts'

/** Places of the columns below; the rows of `part_id` are inside `part` of `owner`. */
export const PART = { partNo: 0, owner: 1, part: 2, partId: 3, shape: 4, doc: 5 } as const

/** The components of the level's parents in one attribute. */
export function partStatement(
  dialect: SqlDialect,
  { copies, parts }: Level,
  attribute: ComponentAttribute,
  { table }: Component,
): Piece {
  const isInside = parts
    ? dialect.isOneOf(sql.ref('parent_part'), sql.val(parts), 'integer')
    : sql`parent_part = 0`
  return sql`select part_no, owner_copy, parent_part, part_id, shape, doc from ${sql.table(table)} where ${dialect.isOneOf(sql.ref('owner_copy'), sql.val(copies), 'integer')} and attribute_no = ${sql.lit(attribute.no)} and ${isInside} order by owner_copy, parent_part, position`
}
