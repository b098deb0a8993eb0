import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startDatabase } from '#db'
import { createClock } from '#kernel'
import { SEED_MASTER_KEY, seedDeliveries, seedSubscriptions } from '../test/kit/seed-webhooks.ts'
import type { Bench, BenchContext, Figure } from './kit/bench.ts'
import { type Child, freePort } from './kit/child.ts'
import { median } from './kit/compare.ts'
import { serverSpec } from './kit/entrepot.ts'

const KEY = `sk_${'Bench0'.repeat(8)}`
const AT_ONCE = 64
const SUBSCRIPTIONS = 64
const EVENTS_PER_ROUND = 150
const DELIVERIES = SUBSCRIPTIONS * EVENTS_PER_ROUND
const PUBLISHERS = 8
const MANY = 10_000
const STORED = 1_000_000
const PAYLOAD = { id: 7, status: 'new', total: 12.5, created_at: '2026-05-04T10:20:30.123Z' }

const webhooks: Bench = {
  name: 'webhooks',
  summary: 'durable deliveries beside bare POSTs, beside a hanging endpoint, with much stored',
  async run(context) {
    const sink = await startSink(context)
    const api = await startApi(context)
    for (let n = 0; n < SUBSCRIPTIONS; n++) await api.subscribe(`${sink.url}/${n}`)
    await sink.reached(SUBSCRIPTIONS)
    const bare: number[] = []
    const durable: number[] = []
    for (let round = 0; round <= context.rounds; round++) {
      context.say(`round ${round} of ${context.rounds}: bare POSTs, then deliveries`)
      const posts = await barePosts(context, sink.url)
      const delivered = await deliverAll(api, sink)
      // The first is for warming up.
      if (round > 0) bare.push(posts)
      if (round > 0) durable.push(delivered)
    }
    context.say('one endpoint hangs')
    await api.subscribe(`${sink.url}/hang`)
    const beside = [await deliverAll(api, sink), await deliverAll(api, sink)]
    const speeds = [
      speed('bare undici POSTs', median(bare)),
      speed('durable deliveries', median(durable)),
      speed('beside a hanging endpoint', Math.max(...beside)),
    ]
    const figures: Figure[] = [
      ratio('deliveries / bare POSTs', median(durable) / median(bare), 0.5),
      ratio('beside a hanging endpoint / without', Math.max(...beside) / median(durable), 0.9),
    ]
    return { speeds, figures: [...figures, ...(await measureMuch(context, sink))] }
  },
}
export default webhooks

/** One event to 10,000 subscriptions, and the same with a million deliveries stored. */
async function measureMuch(context: BenchContext, sink: Sink): Promise<Figure[]> {
  const api = await startApi(context)
  const { id: like } = await api.subscribe(`${sink.url}/many`)
  await api.stop()
  context.say(`${MANY.toLocaleString('en')} subscriptions`)
  const copies = MANY - 1
  await offline(api.dataDir, (db) => seedSubscriptions(db, { like, count: copies }))
  await api.start()
  await api.publish('order.updated')
  const first = await fanOut(api, sink)
  await api.stop()
  context.say(`${STORED.toLocaleString('en')} stored deliveries`)
  const stored = { subscriptionId: like, count: STORED }
  await offline(api.dataDir, (db) => seedDeliveries(db, stored))
  await api.start()
  await api.publish('order.updated')
  const second = await fanOut(api, sink)
  return [
    {
      what: `publishing to ${MANY.toLocaleString('en')} subscriptions`,
      value: first.publishedMs,
      unit: 'ms',
      must: { atMost: 200 },
    },
    { what: 'all of them delivered', value: first.deliveredMs / 1000, unit: 's' },
    ratio('with a million stored / without', first.deliveredMs / second.deliveredMs, 0.8),
  ]
}

async function fanOut(api: Api, sink: Sink) {
  const before = await sink.count()
  const startedAtMs = performance.now()
  await api.publish()
  const publishedMs = performance.now() - startedAtMs
  await sink.reached(before + MANY)
  return { publishedMs, deliveredMs: performance.now() - startedAtMs }
}

function speed(what: string, perSecond: number) {
  return { what, perSecond, p50Ms: 0, p99Ms: 0 }
}

function ratio(what: string, value: number, atLeast: number): Figure {
  return { what, value, unit: 'x', must: { atLeast } }
}

/** Published, dispatched, signed, sent, answered: from the first call to the last arrival. */
async function deliverAll(api: Api, sink: Sink): Promise<number> {
  const before = await sink.count()
  const startedAtMs = performance.now()
  let left = EVENTS_PER_ROUND
  const publisher = async () => {
    while (left-- > 0) await api.publish()
  }
  await Promise.all(Array.from({ length: PUBLISHERS }, publisher))
  await sink.reached(before + DELIVERIES)
  return DELIVERIES / ((performance.now() - startedAtMs) / 1000)
}

async function barePosts({ root }: BenchContext, url: string): Promise<number> {
  const program = join(root, 'bench/targets/bare-posts.ts')
  const body = JSON.stringify({ id: 'evt_0', type: 'order.created', sequence: 1, data: PAYLOAD })
  const args = [program, `${url}/bare`, String(DELIVERIES), String(AT_ONCE), body]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return Number(stdout)
}

/** Works on the database of a server that is stopped. */
async function offline<T>(
  dataDir: string,
  work: (db: Awaited<ReturnType<typeof startDatabase>>['database']) => Promise<T>,
): Promise<T> {
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const settings = {
    url: undefined,
    dataDir,
    readers: 1,
    readTimeoutMs: 5_000,
    scanTimeoutMs: 5_000,
  }
  const { database, stop } = await startDatabase(settings, {
    clock: createClock(),
    log,
    onThreadFailure: (_name, error) => {
      throw error
    },
  })
  try {
    return await work(database)
  } finally {
    await stop()
  }
}

async function startSink(context: BenchContext) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  await context.start({
    command: process.execPath,
    args: [join(context.root, 'bench/targets/hook-sink.ts'), String(port)],
    readyUrl: url,
  })
  return { url, count, reached }

  async function count(): Promise<number> {
    return Number(await (await fetch(`${url}/count`)).text())
  }

  async function reached(wanted: number): Promise<void> {
    while ((await count()) < wanted) await wait(5)
  }
}

type Sink = Awaited<ReturnType<typeof startSink>>

async function startApi(context: BenchContext) {
  const dataDir = context.temporaryDirectory()
  const { spec, url } = await serverSpec(context.root, dataDir)
  const env = { ...spec.env, ENTREPOT_ADMIN_KEY: KEY, ENTREPOT_MASTER_KEY: SEED_MASTER_KEY }
  let child: Child | undefined
  await start()
  return { dataDir, start, stop, subscribe, publish }

  async function start() {
    child = await context.start({ ...spec, env })
  }

  async function stop() {
    await child?.stop()
  }

  function subscribe(endpoint: string): Promise<{ readonly id: string }> {
    const body = { endpoint_url: endpoint, events: ['order.created'], timeout_seconds: 60 }
    return call('POST', '/webhooks/subscriptions', body)
  }

  function publish(event_type = 'order.created'): Promise<unknown> {
    return call('POST', '/webhooks/events', { event_type, payload: PAYLOAD })
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async function call(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await fetch(url + path, {
      method,
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
}

type Api = Awaited<ReturnType<typeof startApi>>
