import assert from 'node:assert/strict'
import { type DatabaseKind, startServer, until } from '#test-kit'
import { bulkCalls } from './bulk.ts'
import { caller, commerceInstallation } from './support.ts'

const TYPE = 'product_action_notification'
/** A little longer than any lease. */
const LEASE_MS = 11_000

interface Size {
  readonly operations: number
  readonly kills: number
}

/**
 * Kills the server in the middle of a bulk, in which every hundredth product lacks its name and every
 * thousandth element is none, and looks at everything that is left.
 */
export async function killDuringBulk(kind: DatabaseKind, { operations, kills }: Size) {
  const env = { ENTREPOT_ROLES: 'api,worker' }
  const server = await startServer(await commerceInstallation(kind, env))
  const commerce = caller(() => server.url)
  const { post, finished, countOf } = bulkCalls(commerce)
  const elements = Array.from({ length: operations }, (_, n) => elementOf(n))
  const { bulk_uuid: uuid } = await post(elements)
  for (let kill = 1; kill <= kills; kill++) {
    const goal = (operations * kill) / (kills + 1)
    await until(async () => (await countOf(uuid, 1)) >= goal, {
      withinMs: 60_000,
      what: 'progress',
    })
    await server.kill()
    await server.restart()
    // Where several processes share a database what a dead one held is free when its lease ends.
    await server.setClockOffset(kill * LEASE_MS)
  }
  const open = await countOf(uuid, 4)
  assert.ok(open > 0, 'the last kill came too late')
  const bulk = await finished(uuid, 120_000)
  const expected = { 1: 0, 3: 0, 5: 0 }
  for (const n of elements.keys()) expected[statusOf(n)]++
  const { complete, failed, rejected } = bulk.extension_attributes
  assert.deepEqual([complete, failed, rejected], [expected[1], expected[3], expected[5]])
  await checkProducts(operations, commerce)
  await checkFeedback(uuid, operations, commerce)
  return { open }
}

function statusOf(n: number): 1 | 3 | 5 {
  if (n % 1_000 === 999) return 5
  return n % 100 === 99 ? 3 : 1
}

function elementOf(n: number) {
  const status = statusOf(n)
  if (status === 5) return n
  const stock_item = { qty: n }
  const product = { sku: `kill-${n}`, price: n, extension_attributes: { stock_item } }
  return status === 3 ? product : { ...product, name: `Kill ${n}` }
}

/** None is half written: each has all that was sent of it, and there are no others. */
async function checkProducts(operations: number, { ok }: ReturnType<typeof caller>) {
  const seen = new Set<number>()
  for (let after: string | null = '0'; after !== null; ) {
    const page = await ok('GET', `/api/v1/products?limit=100&after_id=${after}`)
    for (const { sku, name, price, stock } of page.data) {
      const n = Number(sku.slice(5))
      assert.deepEqual([name, Number(price), stock], [`Kill ${n}`, n, n])
      assert.ok(!seen.has(n), `${sku} is there twice`)
      seen.add(n)
    }
    after = page.meta.next_after_id
  }
  const wanted = Array.from({ length: operations }, (_, n) => n).filter((n) => statusOf(n) === 1)
  assert.deepEqual(seen, new Set(wanted))
}

/** Exactly one message for each operation, and one for the bulk. */
async function checkFeedback(uuid: string, operations: number, { ok }: ReturnType<typeof caller>) {
  const told = new Map<number, number>()
  for (let after: string | null = ''; after !== null; ) {
    const from: string = after === '' ? '' : `&after_id=${after}`
    const page = await ok('GET', `/webhooks/events?event_type=${TYPE}&limit=100${from}`)
    for (const { payload } of page.data) {
      assert.equal(payload.bulk_uuid, uuid)
      assert.ok(!told.has(payload.operation_id), `two messages of ${payload.operation_id}`)
      told.set(payload.operation_id, payload.status)
    }
    after = page.meta.next_after_id
  }
  assert.equal(told.size, operations)
  for (const [id, status] of told) assert.equal(status, statusOf(id))
  const completed = () => ok('GET', '/webhooks/events?event_type=bulk.completed&limit=10')
  await until(async () => (await completed()).data.length === 1)
}
