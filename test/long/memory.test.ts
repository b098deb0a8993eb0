import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase, residentMib, startServer, tell, until } from '#test-kit'
import { bulkCalls } from '../contract/commerce/bulk.ts'
import { caller, commerceInstallation } from '../contract/commerce/support.ts'

const MOST_MIB = 300
const BULKS = 20
const ELEMENTS = 250
const TEXT_BYTES = 60_000
const LISTS = 300

eachDatabase('memory', (kind) => {
  test('scale: memory comes back under 300 MB after heavy use', async () => {
    const server = await startServer(await commerceInstallation(kind))
    const { call, ok } = caller(() => server.url)
    const { post, finished } = bulkCalls({ call, ok })
    const bulks: string[] = []
    for (let nth = 0; nth < BULKS; nth++) {
      bulks.push((await post(largeProducts(nth))).bulk_uuid)
    }
    for (const uuid of bulks) await finished(uuid, 120_000)
    let peak = residentMib(server.pid)
    await Promise.all(
      Array.from({ length: 8 }, async (_, lane) => {
        for (let nth = lane; nth < LISTS; nth += 8) {
          const list = await ok('GET', `/api/v1/products?per_page=100&page=${1 + (nth % 50)}`)
          assert.equal(list.data.length, 100)
          peak = Math.max(peak, residentMib(server.pid))
        }
      }),
    )
    const wait = { withinMs: 60_000, what: 'the memory' }
    const after = await until(() => {
      const now = residentMib(server.pid)
      return now < MOST_MIB ? now : undefined
    }, wait).catch(() => residentMib(server.pid))
    tell(`${kind}: ${peak} MB in use, ${after} MB afterwards`)
    assert.ok(after < MOST_MIB, `${after} MB afterwards`)
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
