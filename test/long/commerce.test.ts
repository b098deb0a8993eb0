import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startServer, tell } from '#test-kit'
import { bulkCalls } from '../contract/commerce/bulk.ts'
import { killDuringBulk } from '../contract/commerce/kill.ts'
import { caller, commerceInstallation } from '../contract/commerce/support.ts'

const OPERATIONS = 10_000
const ACCEPTED_WITHIN_MS = 2_000
const LEAST_PER_SECOND = 1_000

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`commerce 11: 10,000 products are accepted within 2 s and carried out (${kind})`, async () => {
    const server = await startServer(await commerceInstallation(kind))
    const { post, finished, countOf } = bulkCalls(caller(() => server.url))
    // What happens once after a start is no part of it.
    await post([{ sku: 'warm', name: 'W', price: 1 }]).then(({ bulk_uuid: id }) => finished(id))
    for (const [round, price] of [
      ['created', 1],
      ['saved again', 1],
      ['given another price', 2],
    ] as const) {
      const body = Array.from({ length: OPERATIONS }, (_, n) => productOf(n, price))
      const startedMs = performance.now()
      const { bulk_uuid: uuid } = await post(body)
      const acceptedMs = performance.now() - startedMs
      // Asked seldom: the status of 10,000 operations takes from the processor what carries them out.
      while ((await countOf(uuid, 4)) > 0) await delay(100)
      const seconds = (performance.now() - startedMs - acceptedMs) / 1_000
      const rate = Math.round(OPERATIONS / seconds)
      tell(`${kind}: accepted in ${Math.round(acceptedMs)} ms, ${rate} products a second ${round}`)
      assert.equal(await countOf(uuid, 1), OPERATIONS)
      assert.ok(acceptedMs < ACCEPTED_WITHIN_MS, `accepted in ${acceptedMs} ms`)
      if (kind === 'sqlite') assert.ok(rate >= LEAST_PER_SECOND, `${rate} ${round}`)
    }
  })

  test(`commerce 12: three kills during 10,000 operations (${kind})`, async () => {
    await killDuringBulk(kind, { operations: OPERATIONS, kills: 3 })
  })
}

function productOf(n: number, price: number) {
  return {
    ...{ sku: `long-${n}`, name: `Product ${n}`, price: (100 * price + n) / 100, weight: 1 },
    extension_attributes: { stock_item: { qty: n } },
    custom_attributes: [
      { attribute_code: 'description', value: `<p>${'A text. '.repeat(20)}</p>` },
    ],
  }
}
