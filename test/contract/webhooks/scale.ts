import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  assertPrompt,
  type DatabaseKind,
  eachDatabase,
  emptyDatabase,
  installation,
  openTestDatabase,
  SEED_MASTER_KEY,
  seedSubscriptions,
  startServer,
  until,
} from '#test-kit'
import { startReceiver } from './receiver.ts'
import { ADMIN_KEY, caller, LOOPBACK } from './support.ts'

const SUBSCRIPTIONS = '/webhooks/subscriptions'

export function manySubscriptions(many: number): void {
  eachDatabase('many subscriptions', (kind) => {
    test(`webhooks 15: ${many} of one consumer are listed, and one event reaches them all`, (t) =>
      show(t, kind, many))
  })
}

async function show(t: TestContext, kind: DatabaseKind, many: number): Promise<void> {
  const receiver = await startReceiver()
  const settings = await emptyDatabase(kind)
  const env = {
    ...(await installation('sqlite', {
      ENTREPOT_ADMIN_KEY: ADMIN_KEY,
      ENTREPOT_MASTER_KEY: SEED_MASTER_KEY,
      ENTREPOT_ROLES: 'api,worker',
      ...LOOPBACK,
    })),
    ENTREPOT_DATA_DIR: settings.dataDir,
    ...(settings.url === undefined ? {} : { ENTREPOT_DATABASE_URL: settings.url }),
  }
  const server = await startServer(env)
  const { must, createKey, subscribe } = caller(() => server.url)
  const { key } = await createKey('write')
  const { id: like } = await subscribe(`${receiver.url}/many`, {}, key)
  await server.kill()
  const { database, stop } = await openTestDatabase(kind, settings)
  const ids = [like, ...(await seedSubscriptions(database, { like, count: many - 1 }))]
  await stop()
  await server.restart()

  const byOffset: string[] = []
  for (let page = 1; page <= many / 100; page++) {
    const { data } = await must('GET', `${SUBSCRIPTIONS}?per_page=100&page=${page}`, { key })
    byOffset.push(...data.map(({ id }: { id: string }) => id))
  }
  assert.deepEqual(byOffset.toSorted(), ids.toSorted())
  const byKeyset: string[] = []
  for (let after = ''; ; ) {
    const { data, meta } = await must('GET', `${SUBSCRIPTIONS}?limit=100${after}`, { key })
    byKeyset.push(...data.map(({ id }: { id: string }) => id))
    if (!meta.has_more) break
    after = `&after_id=${meta.next_after_id}`
  }
  assert.deepEqual(byKeyset, ids.toSorted())
  const lastPage = await fastest(() =>
    must('GET', `${SUBSCRIPTIONS}?per_page=100&page=${many / 100}`, { key }),
  )
  const keyset = await fastest(() =>
    must('GET', `${SUBSCRIPTIONS}?limit=100&after_id=${ids[0.9 * many]}`, { key }),
  )
  assertPrompt(lastPage, 100, 'the last page')
  assertPrompt(keyset, 100, 'a page by key')

  const publish = (event_type: string) =>
    must('POST', '/webhooks/events', { key, body: { event_type, payload: { n: 1 } } })
  await publish('order.updated')
  // Also while the fan-out of the first is under way.
  const answered = await fastest(() => publish('order.created'), 1)
  const others = await fastest(() => publish('order.updated'), 5)
  t.diagnostic(`published in ${answered.toFixed(0)} ms, beside it in ${others.toFixed(0)} ms`)
  assertPrompt(Math.min(answered, others), 200, 'an event')
  const arrived = () => new Set(receiver.on('/many').map((one) => one.headers['webhook-delivery']))
  await until(() => arrived().size === many, { withinMs: 240_000, what: 'all deliveries' })
  assert.equal(receiver.on('/many').length, many, 'each once')
  assert.ok(receiver.on('/many').every(({ body }) => body.sequence === 1))
}

async function fastest(work: () => Promise<unknown>, times = 12): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let n = 0; n < times; n++) {
    const startedAtMs = performance.now()
    await work()
    best = Math.min(best, performance.now() - startedAtMs)
  }
  return best
}
