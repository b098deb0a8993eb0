import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import pg from 'pg'

/** An empty schema of the run's PostgreSQL, dropped when the test file ends. */
export async function testPostgres(): Promise<{ url: string }> {
  const base = needed('TEST_POSTGRES_URL')
  const schema = `t_${randomUUID().replaceAll('-', '')}`
  await run(base, `create schema ${schema}`)
  after(() => run(base, `drop schema if exists ${schema} cascade`).catch(() => {}))
  return { url: `${base}?options=-c%20search_path%3D${schema}` }
}

let lastRedisDatabase = 0

/** The run's Redis; `prefix` keeps this test's keys apart from all others. */
export function testRedis(): { url: string; prefix: string } {
  return { url: needed('TEST_REDIS_URL'), prefix: `t${process.pid}_${++lastRedisDatabase}:` }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

function needed(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`Run the tests with "npm test -- <file>": ${name} is not set`)
  return value
}
