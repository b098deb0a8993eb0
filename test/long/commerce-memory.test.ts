import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eachDatabase, residentMib, startServer, tell } from '#test-kit'
import { bulkCalls } from '../contract/commerce/bulk.ts'
import { caller, commerceInstallation } from '../contract/commerce/support.ts'

/** Each is near the largest body that is taken (16 MiB): half a gigabyte in all. */
const BULKS = 36
const ELEMENTS = 250
const TEXT_BYTES = 60_000
/** What the collector has not freed yet differs; held for each of them, memory would double. */
const TOLERANCE = 1.5

eachDatabase('large elements', (kind) => {
  test('commerce 11: memory does not grow with the size of the operations that wait', async () => {
    const server = await startServer(await commerceInstallation(kind))
    const { post, finished, countOf } = bulkCalls(caller(() => server.url))
    await post([{ sku: 'warm', name: 'W', price: 1 }]).then(({ bulk_uuid: id }) => finished(id))
    const most = { first: 0, second: 0 }
    let half: keyof typeof most = 'first'
    const look = setInterval(() => {
      most[half] = Math.max(most[half], residentMib(server.pid))
    }, 100)
    const uuids: string[] = []
    for (let nth = 0; nth < BULKS; nth++) {
      half = nth < BULKS / 2 ? 'first' : 'second'
      uuids.push((await post(largeProducts(nth))).bulk_uuid)
    }
    for (const uuid of uuids) {
      while ((await countOf(uuid, 4)) > 0) await delay(200)
      assert.equal(await countOf(uuid, 1), ELEMENTS)
    }
    clearInterval(look)
    tell(`${kind}: ${most.first} MB with half of them, ${most.second} MB with all`)
    assert.ok(most.second < most.first * TOLERANCE, `${most.first} MB, then ${most.second} MB`)
  })
})

function largeProducts(nth: number) {
  return Array.from({ length: ELEMENTS }, (_, n) => ({
    ...{ sku: `large-${nth}-${n}`, name: `Large ${n}`, price: 1 },
    custom_attributes: [
      { attribute_code: 'description', value: `<p>${`Text ${n}. `.padEnd(TEXT_BYTES, 'x ')}</p>` },
    ],
  }))
}
