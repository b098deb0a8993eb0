import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  DummyDriver,
  Kysely,
  sql as kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { sql, toStatement } from './fragment.ts'

const db = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (own) => new PostgresIntrospector(own),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

test('pieces inside pieces keep their values in order, those of Kysely too', () => {
  const inner = sql`${sql.ref('v.a1')} = ${'x'}`
  const foreign = kysely`strpos(${sql.ref('v.a2')}, ${'y'}) > 0`
  const piece = sql`select ${sql.lit("it's")}, ${sql.lit(5)} from ${sql.table('t')} where ${sql.join(
    [inner, foreign, sql`b in (${sql.join([1, 2])})`],
    sql` and `,
  )} limit ${3}`
  const { sql: text, parameters } = toStatement(piece).compile(db)
  assert.equal(
    text,
    `select 'it''s', 5 from "t" where "v"."a1" = $1 and strpos("v"."a2", $2) > 0 and b in ($3, $4) limit $5`,
  )
  assert.deepEqual(parameters, ['x', 'y', 1, 2, 3])
})

test('a piece can be used many times', () => {
  const value = sql.val('x')
  const { parameters } = toStatement(sql`${value} ${value}`).compile(db)
  assert.deepEqual(parameters, ['x', 'x'])
})
