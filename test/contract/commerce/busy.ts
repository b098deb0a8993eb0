import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { type TestServer, until } from '#test-kit'
import { bulkCalls } from './bulk.ts'
import { commerceSuite } from './support.ts'

const SKU = 'busy-2'
const WHEN = `new.status = 1 and new.sku = '${SKU}'`

/** The database itself refuses to store one operation, until it no longer does. */
const REFUSE = {
  sqlite: [
    `create trigger busy before update on commerce_operations when ${WHEN} begin select raise(abort, 'busy'); end`,
  ],
  postgres: [
    `create function busy() returns trigger language plpgsql as $$ begin raise exception 'busy' using errcode = '53300'; end $$`,
    `create trigger busy before update on commerce_operations for each row when (${WHEN}) execute function busy()`,
  ],
}
const ALLOW = {
  sqlite: ['drop trigger busy'],
  postgres: ['drop trigger busy on commerce_operations', 'drop function busy'],
}

export const busyStorage = commerceSuite('busy storage', (commerce) => {
  const { kind, server, call, one, refused } = commerce
  const { post, status, finished } = bulkCalls(commerce)

  test('commerce §5.2: what storage refuses three times is failed for now, can be retried, and fails alone', async () => {
    await run(server(), REFUSE[kind])
    const body = [1, 2, 3].map((n) => ({ sku: `busy-${n}`, name: 'B', price: n }))
    const { bulk_uuid: uuid } = await post(body)
    const bulk = await finished(uuid)
    const statusesOf = (shown: typeof bulk) =>
      shown.operations_list.map((operation: { status: number }) => operation.status)
    assert.deepEqual(statusesOf(bulk), [1, 2, 1])
    assert.equal(bulk.extension_attributes.failed, 1)
    await refused(404, 'GET', `/rest/V1/products/${SKU}`)
    await run(server(), ALLOW[kind])
    const retried = await call('POST', `/rest/V1/bulk/${uuid}/retry`)
    assert.equal(retried.status, 202)
    assert.deepEqual(statusesOf(await finished(uuid)), [1, 1, 1])
    assert.equal((await one(SKU)).price, 2)
    const { extension_attributes: counts } = await status(uuid)
    assert.equal(counts.state, 'finished')
  })

  test('commerce §5.3: a bulk is kept for 30 days', async (t) => {
    const { bulk_uuid: uuid } = await post([{ sku: 'kept', name: 'K', price: 1 }])
    await finished(uuid)
    t.after(() => server().setClockOffset(0))
    await server().setClockOffset(29 * 86_400_000)
    const { bulk_uuid: later } = await post([{ sku: 'kept', price: 2 }])
    await finished(later)
    assert.equal((await status(uuid)).bulk_id, uuid)
    await server().setClockOffset(31 * 86_400_000)
    await until(async () => {
      const answer = await call('GET', `/rest/V1/bulk/${uuid}/status`)
      return answer.status === 404
    })
    assert.equal((await status(later)).bulk_id, later)
  })
})

async function run({ env, dataDir }: TestServer, statements: readonly string[]) {
  const url = env['ENTREPOT_DATABASE_URL']
  if (url === undefined) {
    const file = new DatabaseSync(join(dataDir, 'entrepot.db'))
    file.exec('pragma busy_timeout = 5000')
    for (const statement of statements) file.exec(statement)
    file.close()
    return
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}
