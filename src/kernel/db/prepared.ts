import { type Compilable, CompiledQuery, type Kysely } from 'kysely'
import { createLru, type Lru } from '../lru.ts'
import type { AnyTables } from './database.ts'

const TEXTS_KEPT = 2_000
/** The statements of each database, without values. */
const statements = new WeakMap<object, Lru<string, CompiledQuery>>()

/**
 * A statement that is written again and again: its text is built once for each key, and afterwards only its values
 * are new. They stand in the order in which the text names them, which is checked when it is built. They belong to the
 * statement from then on.
 */
export function prepared<Row>(
  db: Pick<Kysely<AnyTables>, 'getExecutor'>,
  key: string,
  values: readonly unknown[],
  build: () => Compilable<Row>,
): CompiledQuery<Row> {
  const { adapter } = db.getExecutor()
  const known = statements.get(adapter) ?? createLru<string, CompiledQuery>(TEXTS_KEPT)
  statements.set(adapter, known)
  const found =
    known.find(key) ?? known.keep(key, CompiledQuery.raw(checkedText(key, values, build())))
  const { sql, query, queryId } = found as CompiledQuery<Row>
  return { sql, query, queryId, parameters: values }
}

function checkedText(key: string, values: readonly unknown[], query: Compilable<unknown>): string {
  const { sql, parameters } = query.compile()
  const isSame =
    parameters.length === values.length &&
    parameters.every((each, at) => Object.is(each, values[at]))
  if (!isSame) throw new Error(`the values of "${key}" do not follow its text`)
  return sql
}
