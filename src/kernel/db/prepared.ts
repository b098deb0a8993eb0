import { type Compilable, CompiledQuery, type Kysely } from 'kysely'
import { createLru, type Lru } from '../lru.ts'
import type { AnyTables } from './database.ts'

const TEXTS_KEPT = 2_000
/** The texts of each database. */
const texts = new WeakMap<object, Lru<string, string>>()

/**
 * A statement that is written again and again: its text is built once for each key, and afterwards only its values
 * are new. They stand in the order in which the text names them, which is checked when it is built.
 */
export function prepared<Row>(
  db: Pick<Kysely<AnyTables>, 'getExecutor'>,
  key: string,
  values: readonly unknown[],
  build: () => Compilable<Row>,
): CompiledQuery<Row> {
  const { adapter } = db.getExecutor()
  const known = texts.get(adapter) ?? createLru<string, string>(TEXTS_KEPT)
  texts.set(adapter, known)
  const text = known.find(key) ?? known.keep(key, checkedText(key, values, build()))
  return CompiledQuery.raw(text, [...values]) as CompiledQuery<Row>
}

function checkedText(key: string, values: readonly unknown[], query: Compilable<unknown>): string {
  const { sql, parameters } = query.compile()
  const isSame =
    parameters.length === values.length &&
    parameters.every((each, at) => Object.is(each, values[at]))
  if (!isSame) throw new Error(`the values of "${key}" do not follow its text`)
  return sql
}
