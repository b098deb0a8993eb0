import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { EventSource } from 'eventsource'
import { ADMIN_KEY, until } from '#test-kit'
import { scraperSuite } from './support.ts'

const EVENTS = ['progress', 'item', 'log', 'done'] as const

export const eventSource = scraperSuite('progress in an EventSource', (api) => {
  test('scrapers 20: an EventSource that loses its connection misses nothing and ends with done', async () => {
    const { url } = api.site()
    const id = await api.create({ url: `${url}/p/0`, rate_limit: 20, crawl: { max_depth: 9 } })
    const line = await startLine(new URL(api.server().url))
    const runId = await api.start(id)
    const path = `/api/v1/scrapers/${id}/runs/${runId}/events`
    const asked: (string | null)[] = []
    const source = new EventSource(`${line.url}${path}`, {
      fetch: (input, init) => {
        const headers = new Headers(init.headers)
        asked.push(headers.get('last-event-id'))
        headers.set('x-api-key', ADMIN_KEY)
        return fetch(input, { ...init, headers })
      },
    })
    after(() => source.close())
    // biome-ignore lint/suspicious/noExplicitAny: each event has data of its own
    const heard: { event: string; id: string; data: any }[] = []
    for (const event of EVENTS) {
      source.addEventListener(event, (message) =>
        heard.push({ event, id: message.lastEventId, data: JSON.parse(message.data) }),
      )
    }
    const items = () => heard.filter(({ event }) => event === 'item')
    await until(() => items().length >= 5, { what: 'five items' })
    line.cut()
    const done = await until(() => heard.find(({ event }) => event === 'done'), {
      ...{ what: 'the end', withinMs: 60_000 },
    })
    source.close()
    assert.ok(asked.length >= 2 && Number(asked.at(-1)) > 0, `asked with ${asked.join(', ')}`)
    const ids = items().map(({ data }) => data.id)
    assert.deepEqual([ids.length, new Set(ids).size], [20, 20])
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    )
    for (const { data } of items()) assert.deepEqual(Object.keys(data), ITEM_MEMBERS)
    const logged = heard.filter(({ event }) => event === 'log')
    assert.ok(logged.length >= 20)
    assert.ok(heard.some(({ event }) => event === 'progress'))
    assert.deepEqual(
      [done.data.id, done.data.status, done.data.items_collected],
      [runId, 'completed', 20],
    )
  })
})

const ITEM_MEMBERS = ['id', 'url', 'title', 'change']

/** A line to the server that can be cut. */
async function startLine({ hostname, port }: URL) {
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => open.delete(socket))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    cut()
    server.close()
  })
  const address = server.address()
  const own = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${own}`, cut }

  function cut() {
    for (const socket of open) socket.destroy()
  }
}
