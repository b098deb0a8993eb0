import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { testPostgres } from '#test-kit'

test('each test file gets an empty PostgreSQL schema of its own', async () => {
  const { url } = await testPostgres()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('create table here (a int)')
  const { rows } = await client.query("select to_regclass('here')::text as name, version() as v")
  await client.end()
  assert.equal(rows[0].name, 'here')
  assert.match(rows[0].v, /^PostgreSQL/)
})
