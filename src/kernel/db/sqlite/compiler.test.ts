import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, sql } from 'kysely'
import { SignedLimitCompiler } from './compiler.ts'

const db = new Kysely<{ items: { no: number } }>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (own) => new SqliteIntrospector(own),
    createQueryCompiler: () => new SignedLimitCompiler(),
  },
})

test('a bound limit has a sign, however the statement was written', () => {
  const built = db.selectFrom('items').select('no').limit(3).offset(2).compile()
  const written = sql`select no from items limit ${3} offset ${2}`.compile(db)
  deepEqual(
    [built.sql, built.parameters, written.sql, written.parameters],
    [
      'select "no" from "items" limit +? offset ?',
      [3, 2],
      'select no from items limit +? offset ?',
      [3, 2],
    ],
  )
})
