import type { IndexedText, SqlDialect } from '#db'
import { type Sql, sql } from '../query/fragment.ts'
import { allOf, anyOf } from '../query/sql/context.ts'
import { partOf, type Term } from './terms.ts'

/** A term as columns of the row that has what is asked for. */
interface AskedTerm {
  readonly part: Sql
  readonly words: readonly { readonly text: Sql; readonly isDigits: boolean }[]
}

/** What stands between digits of a shown number stands between words. */
const DIGITS = /^[0-9]+$/

/** Selects a row of what is asked for, so that it is bound once, however many columns of however many types are compared with it. */
export function askedRow(terms: readonly Term[], alias: string) {
  const columns: Sql[] = []
  const asked = terms.map(
    (term): AskedTerm => ({
      part: bind(partOf(term)),
      words: term.words.map((word) => ({ text: bind(word), isDigits: DIGITS.test(word) })),
    }),
  )
  return { asked, row: sql`select ${sql.join(columns)}` }

  function bind(text: string): Sql {
    const name = `t${columns.length}`
    columns.push(sql`cast(${text} as text) as ${sql.ref(name)}`)
    return sql.ref(`${alias}.${name}`)
  }
}

/**
 * Whether texts of a row that is not taken in have a term, as the index would say. Making a text as the index holds it costs more than
 * looking into it, so it is made only where the stored ones leave it open: they must have each word, and have the
 * term if one has its words between single spaces.
 */
export function hasTerm(
  dialect: SqlDialect,
  texts: readonly IndexedText[],
  alias: string,
  { part, words }: AskedTerm,
): Sql {
  const maybe = words.map((word) =>
    anyOf(
      texts.flatMap((text) => {
        if (text.kind === 'list') return [sql`${sql.ref(`${alias}.${text.column}`)} is not null`]
        if (text.kind === 'shown' && !word.isDigits) return []
        return [sql`${dialect.contains(storedText(text, alias), word.text)}`]
      }),
    ),
  )
  const surely = texts
    .filter((text) => text.kind === 'folded')
    .map((text) => dialect.contains(sql`(' ' || ${storedText(text, alias)} || ' ')`, part))
  const made = dialect.contains(dialect.textIndex.textOf(texts, alias), part)
  return allOf([...maybe, anyOf([...surely, made])])
}

function storedText(text: Exclude<IndexedText, { kind: 'list' }>, alias: string) {
  return text.kind === 'shown' ? text.sql(alias) : sql.ref(`${alias}.${text.column}`)
}
