import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runBeside, until } from '#test-kit'
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
  const { kind, server, call, ok, one, refused } = commerce
  const { post, status, finished } = bulkCalls(commerce)

  test('commerce §5.2: what storage refuses three times is failed for now, can be retried, and fails alone', async () => {
    await runBeside(server(), ...REFUSE[kind])
    const body = [1, 2, 3].map((n) => ({ sku: `busy-${n}`, name: 'B', price: n }))
    const { bulk_uuid: uuid } = await post(body)
    const bulk = await finished(uuid)
    const statusesOf = (shown: typeof bulk) =>
      shown.operations_list.map((operation: { status: number }) => operation.status)
    assert.deepEqual(statusesOf(bulk), [1, 2, 1])
    assert.equal(bulk.extension_attributes.failed, 1)
    await refused(404, 'GET', `/rest/V1/products/${SKU}`)
    await runBeside(server(), ...ALLOW[kind])
    await until(async () => (await completionsOf(uuid)) === 1)
    const retry = () => call('POST', `/rest/V1/bulk/${uuid}/retry`)
    const retried = await Promise.all(Array.from({ length: 8 }, retry))
    for (const answer of retried) assert.equal(answer.status, 202)
    assert.deepEqual(statusesOf(await finished(uuid)), [1, 1, 1])
    assert.equal((await one(SKU)).price, 2)
    const { extension_attributes: counts } = await status(uuid)
    assert.equal(counts.state, 'finished')
    // Once when nothing was open, and once more after what was retried, however often that was asked for.
    await until(async () => (await completionsOf(uuid)) === 2)
    const { bulk_uuid: later } = await post([{ sku: 'busy-1', price: 4 }])
    await until(async () => (await completionsOf(later)) === 1)
    assert.equal(await completionsOf(uuid), 2)
  })

  async function completionsOf(uuid: string): Promise<number> {
    const events = await ok('GET', '/webhooks/events?event_type=bulk.completed&limit=100')
    const own = events.data.filter(
      ({ payload }: { payload: { bulk_uuid: string } }) => payload.bulk_uuid === uuid,
    )
    return own.length
  }

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
