import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connect } from 'amqplib'
import { type DatabaseKind, runBeside, startRabbit, startServer, until } from '#test-kit'
import { bulkCalls } from './bulk.ts'
import { caller, commerceInstallation } from './support.ts'

const QUEUE = 'product_action_notification'
const OPERATIONS = 600
const KINDS: readonly DatabaseKind[] = ['sqlite', 'postgres']

// Both databases at once: a broker takes long to start, and is started twice.
test('commerce 15: feedback comes through RabbitMQ, and a kill of it during a bulk loses nothing', async () => {
  const rabbit = await startRabbit()
  after(() => rabbit.stop())
  const servers = await Promise.all(KINDS.map((kind) => start(kind, rabbit.url)))
  const before = await consume(rabbit.url)
  for (const { post } of servers) {
    const { bulk_uuid: uuid } = await post([{ sku: 'mq-first', name: 'M', price: 1 }])
    const [message] = await until(() => before.of(uuid).length > 0 && before.of(uuid))
    assert.deepEqual(Object.keys(message?.body), ['id', 'type', 'timestamp', 'sequence', 'data'])
    assert.deepEqual([message?.id, message?.type], [message?.body.id, QUEUE])
    assert.deepEqual([message?.deliveryMode, message?.contentType], [2, 'application/json'])
  }
  await before.close()

  const body = Array.from({ length: OPERATIONS }, (_, n) => ({
    sku: `mq-${n}`,
    name: 'M',
    price: 1,
  }))
  const bulks = await Promise.all(servers.map(({ post }) => post(body)))
  await rabbit.kill()
  for (const [at, { finished }] of servers.entries()) {
    const bulk = await finished(bulks[at].bulk_uuid)
    assert.equal(bulk.extension_attributes.state, 'finished')
  }
  // Of these the broker has surely heard nothing.
  for (const { post, finished } of servers) {
    const { bulk_uuid: uuid } = await post(body)
    await finished(uuid)
    bulks.push({ bulk_uuid: uuid })
  }
  await rabbit.restart()
  const rest = await consume(rabbit.url)
  for (const [at, { bulk_uuid: uuid }] of bulks.entries()) {
    const operations = () => new Set(rest.of(uuid).map((message) => message.body.data.operation_id))
    await until(() => operations().size === OPERATIONS, { withinMs: 60_000, what: 'all messages' })
    // A repeat comes with the id it had, and nothing comes before what happened before it.
    const ids = [...new Set(rest.of(uuid).map(({ id }) => id))]
    assert.equal(ids.length, OPERATIONS)
    const told = await servers[at % servers.length]?.told()
    assert.deepEqual(
      ids,
      told?.filter((id) => ids.includes(id)),
    )
  }
  await rest.close()

  // Short of memory: the broker reads nothing more, and is asked over no second connection.
  await rabbit.setBlocked(true)
  const blocked = await Promise.all(servers.map(({ post }) => post(body.slice(0, 20))))
  for (const [at, { finished }] of servers.entries()) await finished(blocked[at].bulk_uuid)
  for (const { server } of servers) {
    await until(() => server.log().includes('takes no messages for now'), { what: 'the notice' })
  }
  assert.equal(await rabbit.connections(), servers.length)
  // Whoever waits for such a broker can be stopped.
  const [stopped] = servers
  stopped?.server.signal('SIGTERM')
  await stopped?.server.exited()
  await rabbit.setBlocked(false)
  await stopped?.server.restart()
  const last = await consume(rabbit.url)
  for (const { bulk_uuid: uuid } of blocked) {
    const heard = () => new Set(last.of(uuid).map(({ id }) => id)).size
    await until(() => heard() === 20, { withinMs: 30_000, what: 'what waited for the broker' })
  }
  await last.close()
})

async function start(kind: DatabaseKind, amqpUrl: string) {
  const env = { ENTREPOT_AMQP_URL: amqpUrl, ENTREPOT_ROLES: 'api,worker' }
  const server = await startServer(await commerceInstallation(kind, env))
  return { server, ...bulkCalls(caller(() => server.url)), told }

  /** Ids of messages in the one order of events. */
  async function told(): Promise<string[]> {
    const rows = await runBeside(
      server,
      `select id from kernel_events where type = '${QUEUE}' order by seq`,
    )
    return rows.map(({ id }) => `evt_${String(id).replaceAll('-', '')}`)
  }
}

interface Heard {
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly deliveryMode: number
  // biome-ignore lint/suspicious/noExplicitAny: the body of an event
  readonly body: any
}

async function consume(url: string) {
  const heard: Heard[] = []
  await until(() => hasQueue(url), { what: 'the queue' })
  const connection = await connect(url)
  connection.on('error', () => {})
  const channel = await connection.createChannel()
  await channel.consume(QUEUE, (message) => {
    if (!message) return
    const { messageId: id, type, contentType, deliveryMode } = message.properties
    const body = JSON.parse(message.content.toString())
    heard.push({ id, type, contentType, deliveryMode, body })
    channel.ack(message)
  })
  return {
    of: (uuid: string) => heard.filter(({ body }) => body.data.bulk_uuid === uuid),
    close: () => connection.close(),
  }
}

/** Asking for one that is not there closes the channel. */
async function hasQueue(url: string): Promise<boolean> {
  const connection = await connect(url)
  try {
    const channel = await connection.createChannel()
    channel.on('error', () => {})
    await channel.checkQueue(QUEUE)
    return true
  } catch {
    return false
  } finally {
    await connection.close()
  }
}
