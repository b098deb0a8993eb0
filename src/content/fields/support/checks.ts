import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '../../json.ts'
import type { ScalarAttribute } from '../../model.ts'
import type { Scalar } from '../../query/ast.ts'
import { kindOf } from '../index.ts'
import type { ColumnValue } from '../kind.ts'

const BASE = {
  no: 1,
  name: 'field',
  required: false,
  unique: false,
  private: false,
  searchable: true,
  localized: true,
  unversioned: false,
}

interface Table {
  /** Input, what answers show, and what the column holds when that differs. */
  readonly accepts: readonly (readonly [
    input: unknown,
    shown: JsonValue,
    column?: Exclude<ColumnValue, null>,
  ])[]
  readonly refuses: readonly unknown[]
  readonly filters?: readonly (readonly [Exclude<Scalar, null>, ColumnValue])[]
  readonly refusesFilters?: readonly Exclude<Scalar, null>[]
}

type Options<A> = A extends ScalarAttribute ? Omit<A, keyof typeof BASE> : never

/** One table of values of a kind: each row goes through parsing and through its column and back. */
export function checkKind(options: Options<ScalarAttribute>, table: Table) {
  const attribute: ScalarAttribute = { ...BASE, ...options }
  const kind = kindOf(attribute)
  test(`${attribute.type} accepts, stores and refuses as written`, () => {
    for (const [input, shown, column] of table.accepts) {
      const parsed = kind.parse(input, attribute)
      assert.ok(parsed.ok, `${JSON.stringify(input)} was refused`)
      assert.deepEqual(parsed.value, shown)
      const stored = kind.toColumn(shown, attribute)
      assert.equal(stored, column ?? shown)
      const read = typeof stored === 'bigint' ? String(stored) : stored
      assert.deepEqual(kind.fromColumn(read, attribute), shown)
    }
    for (const input of table.refuses) {
      const { ok } = kind.parse(input, attribute)
      assert.equal(ok, false, `${String(JSON.stringify(input))} was accepted`)
    }
  })
  if (table.filters ?? table.refusesFilters) checkFilters(attribute, table)
}

function checkFilters(attribute: ScalarAttribute, { filters = [], refusesFilters = [] }: Table) {
  const kind = kindOf(attribute)
  test(`${attribute.type} converts values of filters or refuses them`, () => {
    for (const [input, expected] of filters) {
      assert.deepEqual(kind.parseFilter(input, attribute), { ok: true, value: expected })
    }
    for (const input of refusesFilters) {
      const { ok } = kind.parseFilter(input, attribute)
      assert.equal(ok, false, `${input} was accepted`)
    }
  })
}
