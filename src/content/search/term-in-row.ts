import type { IndexedText, SqlDialect } from '#db'
import { type Sql, sql } from '../query/fragment.ts'
import { allOf, anyOf } from '../query/sql/context.ts'
import { partOf, type Term } from './terms.ts'

/**
 * Whether texts of a row that is not taken in have a term, as the index would say. Making a text as the index holds it costs more than
 * looking into it, so it is made only where the stored one leaves it open: it must have the longest word, and has the
 * term if it has its words between single spaces.
 */
export function hasTerm(
  dialect: SqlDialect,
  texts: readonly IndexedText[],
  alias: string,
  term: Term,
): Sql {
  const part = sql.val(partOf(term))
  const longest = term.words.toSorted((a, b) => b.length - a.length)[0] ?? ''
  const maybe = texts.map((text) => {
    if (text.kind === 'list') return sql`${sql.ref(`${alias}.${text.column}`)} is not null`
    return dialect.contains(storedText(text, alias), sql.val(longest))
  })
  const surely = texts
    .filter((text) => text.kind === 'folded')
    .map((text) => dialect.contains(sql`(' ' || ${storedText(text, alias)} || ' ')`, part))
  const made = dialect.contains(dialect.textIndex.textOf(texts, alias), part)
  return allOf([anyOf(maybe), anyOf([...surely, made])])
}

function storedText(text: Exclude<IndexedText, { kind: 'list' }>, alias: string) {
  return text.kind === 'shown' ? text.sql(alias) : sql.ref(`${alias}.${text.column}`)
}
