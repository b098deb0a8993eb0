import assert from 'node:assert/strict'
import { type DatabaseKind, runBeside, startPair, startServer, until } from '#test-kit'
import { bulkCalls } from './bulk.ts'
import { caller, commerceInstallation, SEEDED } from './support.ts'

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
  let open = 0
  for (let kill = 1; kill <= kills; kill++) {
    const goal = (operations * kill) / (kills + 1)
    await until(async () => (await countOf(uuid, 1)) >= goal, {
      withinMs: 60_000,
      what: 'progress',
    })
    await server.kill()
    // Before it goes on with them.
    const left = 'select count(*) as open from commerce_operations where status = 4'
    open = Number((await runBeside(server, left))[0]?.['open'])
    await server.restart()
    // Where several processes share a database what a dead one held is free when its lease ends.
    await server.setClockOffset(kill * LEASE_MS)
  }
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

/** The node that carries the bulk out dies in the middle of it, and the other one goes on. */
export async function killLeaderOfTwo(operations: number) {
  const [first, second] = await startPair({ ...SEEDED, ENTREPOT_ROLES: 'api,worker' })
  const commerce = caller(() => first.url)
  const there = bulkCalls(caller(() => second.url))
  // While the first is away the second has to be the one.
  await first.kill()
  await second.setClockOffset(LEASE_MS)
  const { bulk_uuid: before } = await there.post([{ sku: 'kill-before' }])
  await there.finished(before)
  await first.restart()

  const { post, finished, countOf } = bulkCalls(commerce)
  const { bulk_uuid: uuid } = await post(Array.from({ length: operations }, (_, n) => elementOf(n)))
  await until(async () => (await countOf(uuid, 1)) >= operations / 4, { withinMs: 60_000 })
  await second.kill()
  assert.ok((await countOf(uuid, 4)) > 0, 'the kill came too late')
  await first.setClockOffset(3 * LEASE_MS)
  await finished(uuid, 120_000)
  await checkProducts(operations, commerce)
  await checkFeedback(uuid, operations, commerce, before)
}

/** Killed while operations arrive, the server knows all of them afterwards or none. */
export async function killDuringAcceptance(kind: DatabaseKind, operations: number) {
  const env = { ENTREPOT_ROLES: 'api,worker' }
  const server = await startServer(await commerceInstallation(kind, env))
  const commerce = caller(() => server.url)
  const { post, finished } = bulkCalls(commerce)
  const elements = Array.from({ length: operations }, (_, n) => elementOf(n))
  // Among several processes a key is free again a minute after the one that used it died: too long to wait here.
  const headers = kind === 'sqlite' ? { 'idempotency-key': 'killed on arrival' } : {}
  const sent = post(elements, { headers }).catch(() => undefined)
  await until(async () => {
    const [row] = await runBeside(server, 'select count(*) as stored from commerce_operations')
    return Number(row?.['stored']) > 0
  })
  await server.kill()
  const answered = await sent
  await server.restart()
  const { total_count: known, items } = await commerce.ok('GET', '/rest/V1/bulk?searchCriteria')
  assert.ok(known === 0 || known === operations, `${known} of ${operations} are known`)
  if (answered) assert.equal(known, operations)
  await server.setClockOffset(LEASE_MS)
  const isSentAgain = known === 0 || kind === 'sqlite'
  const { bulk_uuid: uuid } = isSentAgain ? await post(elements, { headers }) : items[0]
  if (known > 0) assert.equal(uuid, items[0].bulk_uuid)
  await finished(uuid, 120_000)
  await checkProducts(operations, commerce)
  await checkFeedback(uuid, operations, commerce)
  return { known }
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
async function checkFeedback(
  uuid: string,
  operations: number,
  { ok }: ReturnType<typeof caller>,
  before?: string,
) {
  const told = new Map<number, number>()
  for (let after: string | null = ''; after !== null; ) {
    const from: string = after === '' ? '' : `&after_id=${after}`
    const page = await ok('GET', `/webhooks/events?event_type=${TYPE}&limit=100${from}`)
    for (const { payload } of page.data) {
      if (payload.bulk_uuid === before) continue
      assert.equal(payload.bulk_uuid, uuid)
      assert.ok(!told.has(payload.operation_id), `two messages of ${payload.operation_id}`)
      told.set(payload.operation_id, payload.status)
    }
    after = page.meta.next_after_id
  }
  assert.equal(told.size, operations)
  for (const [id, status] of told) assert.equal(status, statusOf(id))
  const completed = () => ok('GET', '/webhooks/events?event_type=bulk.completed&limit=10')
  const bulks = before === undefined ? 1 : 2
  await until(async () => (await completed()).data.length === bulks)
}
