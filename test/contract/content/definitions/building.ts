import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { until } from '#test-kit'
import type { ContentServer } from '../support.ts'

const TYPES = '/api/v1/content-types'

/** By then every request that knew a removed type has ended. */
const DROPPED_AFTER_MS = 180_000

/** What PostgreSQL does beside its writers, an index above all, takes its time among them. */
export function buildingTests({ server, call, data }: ContentServer): void {
  test('content-model 14: a type is deleted while the worker builds its indexes', async () => {
    const all = (type: string) => ({ first: { type }, second: { type }, third: { type } })
    await data('POST', TYPES, {
      body: { singularName: 'crate', pluralName: 'crates', attributes: all('integer') },
    })
    await data('POST', '/api/v1/crates', { body: { first: 1, second: 2, third: 3 } })
    await using old = await connect(server().env['ENTREPOT_DATABASE_URL'])
    await using writer = await connect(server().env['ENTREPOT_DATABASE_URL'])
    // The first index is not finished before whoever began earlier, the second not begun before
    // whoever writes to the table.
    await old.query('begin isolation level repeatable read')
    const table = await old.query('select max(no) as no from content_types')
    await data('PATCH', `${TYPES}/crate`, { body: { attributes: all('string') } })
    await until(() => writer.isWaiting('create index concurrently'))
    await writer.query('begin')
    await writer.query(`lock table content_v${table.rows[0].no} in row exclusive mode`)
    await old.query('commit')
    const { status, body } = await call('DELETE', `${TYPES}/crate?force=true`)
    assert.equal(status, 204, JSON.stringify(body))
    await writer.query('commit')
    // The table goes when nobody can be asking for it any more; a change of the model wakes the worker.
    await server().setClockOffset(DROPPED_AFTER_MS)
    await data('POST', TYPES, { body: { singularName: 'waker', pluralName: 'wakers' } })
    await until(async () => (await old.tablesLike(`content_v${table.rows[0].no}`)) === 0)
    await server().setClockOffset(0)
  })
}

async function connect(connectionString: string | undefined) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return {
    query: (text: string) => client.query(text),
    async isWaiting(statement: string): Promise<boolean> {
      const { rows } = await client.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock'
          and query like $1 and query like '%content_v%'`,
        [`${statement}%`],
      )
      return rows.length > 0
    },
    async tablesLike(name: string): Promise<number> {
      const { rows } = await client.query('select to_regclass($1) as found', [name])
      return rows.filter(({ found }) => found !== null).length
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}
