import { columnOf, foldColumnOf } from '../../fields/kind.ts'
import type { ScalarAttribute } from '../../model.ts'
import { type Sql, sql } from '../fragment.ts'
import { type Column, textColumn } from './column.ts'

type Part = (column: string) => Sql

/** Of the JSON in a column: where the link leads, with `entity:` before the id of a document, and what is said of it. */
const PARTS: ReadonlyMap<string, Part> = new Map<string, Part>([
  ['uri', (of) => sql`coalesce('entity:' || ${memberOf(of, 'entry')}, ${memberOf(of, 'url')})`],
  ['title', (of) => memberOf(of, 'title')],
  ['target', (of) => memberOf(of, 'target')],
])

function memberOf(column: string, name: string): Sql {
  return sql`json_member(${sql.ref(column)}, ${sql.lit(name)})`
}

/** A part of a link as a value; the folded column holds the same object, folded. */
export function linkColumn(attribute: ScalarAttribute, name: string): Column | undefined {
  const part = PARTS.get(name)
  if (!part) return undefined
  return textColumn(`${columnOf(attribute)}@${name}`, {
    ...{ nullable: true, indexed: false },
    sql: (alias) => part(`${alias}.${columnOf(attribute)}`),
    fold: (alias) => part(`${alias}.${foldColumnOf(attribute)}`),
  })
}
