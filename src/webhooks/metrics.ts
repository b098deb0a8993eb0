import type { Kysely } from 'kysely'
import type { Bus, BusMessage } from '#bus'
import type { Database } from '#db'
import type { EventReader } from '#events'
import type { Metrics } from '#http'
import { readPosition } from './sending/dispatch.ts'
import { countDue } from './store/lanes.ts'
import type { WebhooksTables } from './tables.ts'
import { COUNTED_TOPIC } from './topics.ts'

interface Deps {
  readonly db: Database
  readonly bus: Pick<Bus, 'subscribe'>
  readonly events: Pick<EventReader, 'lastSeq'>
  readonly registry: Metrics['registry']
  openStreams(): number
}

/** What an operator watches; gauges are read when they are asked for. */
export async function registerMetrics({ db, bus, events, registry, openStreams }: Deps) {
  const { default: prometheus } = await import('prom-client')
  const { Counter, Gauge } = prometheus
  const reader: Kysely<WebhooksTables> = db.main.reader
  const registers = [registry]
  const attempts = new Counter({
    name: 'webhooks_attempts_total',
    help: 'Delivery attempts of this process by result: success or the code of the error',
    labelNames: ['result'],
    registers,
  })
  const seconds = new Counter({
    name: 'webhooks_attempt_seconds_total',
    help: 'Time that receivers took to answer attempts of this process',
    registers,
  })
  new Gauge({
    name: 'webhooks_lanes_due',
    help: 'Subscriptions with something to send now',
    registers,
    async collect() {
      this.set(await countDue(reader, db.dialect))
    },
  })
  new Gauge({
    name: 'webhooks_events_undispatched',
    help: 'Events not yet handed to subscriptions',
    registers,
    async collect() {
      const { seq } = await readPosition(reader)
      this.set(Math.max(0, (await events.lastSeq()) - seq))
    },
  })
  new Gauge({
    name: 'webhooks_streams_open',
    help: 'Open event streams of this process',
    registers,
    collect() {
      this.set(openStreams())
    },
  })
  return bus.subscribe(COUNTED_TOPIC, (message) => {
    const { counts, milliseconds } = parseCounted(message)
    for (const [result, count] of counts) attempts.inc({ result }, count)
    seconds.inc(milliseconds / 1000)
  })
}

function parseCounted(message: BusMessage) {
  if (typeof message !== 'object' || message === null || !('counts' in message)) {
    return { counts: [], milliseconds: 0 }
  }
  const { counts, milliseconds } = message
  const entries = typeof counts === 'object' && counts !== null ? Object.entries(counts) : []
  return {
    counts: entries.flatMap(([name, count]) =>
      typeof count === 'number' ? [[name, count] as const] : [],
    ),
    milliseconds: typeof milliseconds === 'number' ? milliseconds : 0,
  }
}
