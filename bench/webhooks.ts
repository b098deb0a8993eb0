import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Bench, BenchContext } from './kit/bench.ts'
import { freePort } from './kit/child.ts'
import { median } from './kit/compare.ts'
import { serverSpec } from './kit/entrepot.ts'

const KEY = `sk_${'Bench0'.repeat(8)}`
const AT_ONCE = 64
const SUBSCRIPTIONS = 64
const EVENTS_PER_ROUND = 150
const DELIVERIES = SUBSCRIPTIONS * EVENTS_PER_ROUND
const PAYLOAD = { id: 7, status: 'new', total: 12.5, created_at: '2026-05-04T10:20:30.123Z' }

const webhooks: Bench = {
  name: 'webhooks',
  summary: 'durable deliveries beside bare POSTs; one event to 10,000 subscriptions',
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
    const speeds = [
      { what: 'bare undici POSTs', perSecond: median(bare), p50Ms: 0, p99Ms: 0 },
      { what: 'durable deliveries', perSecond: median(durable), p50Ms: 0, p99Ms: 0 },
    ]
    const value = median(durable) / median(bare)
    const must = { atLeast: 0.4 }
    return { speeds, figures: [{ what: 'deliveries / bare POSTs', value, unit: 'x', must }] }
  },
}
export default webhooks

/** Published, dispatched, signed, sent, answered: from the first call to the last arrival. */
async function deliverAll(api: Api, sink: Sink): Promise<number> {
  const before = await sink.count()
  const startedAtMs = performance.now()
  for (let n = 0; n < EVENTS_PER_ROUND; n++) await api.publish()
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
  const { spec, url } = await serverSpec(context.root, context.temporaryDirectory())
  const env = { ...spec.env, ENTREPOT_ADMIN_KEY: KEY }
  await context.start({ ...spec, env })
  return { subscribe, publish }

  function subscribe(endpoint: string): Promise<unknown> {
    return post('/webhooks/subscriptions', { endpoint_url: endpoint, events: ['order.created'] })
  }

  function publish(): Promise<unknown> {
    return post('/webhooks/events', { event_type: 'order.created', payload: PAYLOAD })
  }

  async function post(path: string, body: unknown): Promise<unknown> {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
}

type Api = Awaited<ReturnType<typeof startApi>>
