import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import { copyTemplate, onPostgres } from './template.ts'

/** An empty schema of the run's PostgreSQL, dropped when the test file ends. */
export async function testPostgres(): Promise<{ url: string }> {
  const base = needed('TEST_POSTGRES_URL')
  const schema = `t_${randomUUID().replaceAll('-', '')}`
  await onPostgres(base, `create schema ${schema}`)
  after(() => onPostgres(base, `drop schema if exists ${schema} cascade`).catch(() => {}))
  return { url: `${base}?options=-c%20search_path%3D${schema}` }
}

/** A database of the run's PostgreSQL with the whole schema and no rows, dropped when this process has ended. */
export async function migratedPostgres(): Promise<{ url: string }> {
  return { url: await copyTemplate(needed('TEST_POSTGRES_URL')) }
}

let lastRedisDatabase = 0

/** The run's Redis; `prefix` keeps this test's keys apart from all others. */
export function testRedis(): { url: string; prefix: string } {
  return { url: needed('TEST_REDIS_URL'), prefix: `t${process.pid}_${++lastRedisDatabase}:` }
}

function needed(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`Run the tests with "npm test -- <file>": ${name} is not set`)
  return value
}
