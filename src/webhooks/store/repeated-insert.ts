import type { Compilable, CompiledQuery, Kysely } from 'kysely'

/** Both databases limit how many values a statement may carry. */
const ROWS_PER_STATEMENT = 200

/**
 * Inserts many rows again and again. The statement for each number of rows is built once; after that
 * only the values change, so all rows must have the same members in the same order. Belongs to one
 * database.
 */
export function createRepeatedInsert<Tables, Row extends object>(
  build: (db: Kysely<Tables>, rows: readonly Row[]) => Compilable,
) {
  const built = new Map<number, CompiledQuery>()
  return insert

  async function insert(db: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
      await db.executeQuery(statementFor(db, rows.slice(at, at + ROWS_PER_STATEMENT)))
    }
  }

  function statementFor(db: Kysely<Tables>, rows: readonly Row[]): CompiledQuery {
    const known = built.get(rows.length)
    if (known) return { ...known, parameters: rows.flatMap((row) => Object.values(row)) }
    const fresh = build(db, rows).compile()
    built.set(rows.length, { ...fresh, parameters: [] })
    return fresh
  }
}
