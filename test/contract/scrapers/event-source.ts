import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { EventSource } from 'eventsource'
import type { Page } from 'playwright-core'
import { ADMIN_KEY, startBrowser, until } from '#test-kit'
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

  test('scrapers 20: a browser that is signed in reconnects by itself and misses nothing', async () => {
    const email = `viewer-${Math.random().toString(36).slice(2)}@scrapers.example`
    const credentials = { email, password: 'correct horse battery' }
    await api.data('POST', '/users', { body: { ...credentials, access: 'admin' } })
    const { tab, line } = await openTab()
    const signedIn = await tab.evaluate(`fetch('/api/v1/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: ${JSON.stringify(JSON.stringify(credentials))},
    }).then(({ status }) => status)`)
    assert.equal(signedIn, 200)
    const { runId, path } = await startSlowly()
    await tab.evaluate(`${LISTEN}; listen('${path}')`)
    await cutAndCheck(tab, line, runId)
    assert.deepEqual(await tab.evaluate('[opened, window.refused]'), [2, 0])
  })

  test('scrapers 20: a page with a ticket goes on with another ticket where it was', async () => {
    const { tab, line } = await openTab()
    const { runId, path } = await startSlowly()
    // The ticket is used up: the browser's own attempt is refused, and the page asks for another.
    await tab.evaluate(`${LISTEN}
      const connect = async () => {
        const headers = { 'x-api-key': '${ADMIN_KEY}' }
        const answer = await fetch('/api/v1/stream-tickets', { method: 'POST', headers })
        const { data } = await answer.json()
        const last = heard.findLast(({ id }) => id !== '')?.id ?? ''
        listen('${path}?ticket=' + data.ticket + '&last_event_id=' + last, connect)
      }
      connect()`)
    await cutAndCheck(tab, line, runId)
    assert.deepEqual(await tab.evaluate('[opened, window.refused]'), [2, 1])
  })

  async function openTab() {
    const line = await startLine(new URL(api.server().url))
    const browser = await startBrowser()
    const tab = await browser.newPage()
    // Any page of the server's own origin.
    await tab.goto(`${line.url}/usage`)
    return { tab, line }
  }

  async function startSlowly() {
    const { url } = api.site()
    const id = await api.create({ url: `${url}/p/0`, rate_limit: 4, crawl: { max_depth: 9 } })
    const runId = await api.start(id)
    return { runId, path: `/api/v1/scrapers/${id}/runs/${runId}/events` }
  }

  /** Everything arrives once and in order, though the connection is lost in the middle of the run. */
  async function cutAndCheck(tab: Page, line: { cut(): void }, runId: number) {
    const heard = (): Promise<Heard[]> => tab.evaluate('heard')
    const itemsIn = (all: Heard[]) => all.filter(({ event }) => event === 'item')
    await until(async () => itemsIn(await heard()).length >= 3, { what: 'three items' })
    line.cut()
    const all = await until(
      async () => {
        const sofar = await heard()
        return sofar.some(({ event }) => event === 'done') && sofar
      },
      { what: 'the end', withinMs: 60_000 },
    )
    const ids = itemsIn(all).map(({ id }) => Number(id))
    assert.equal(ids.length, 20)
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => a - b),
    )
    assert.ok(all.some(({ event }) => event === 'progress'))
    const done = JSON.parse(all.at(-1)?.data ?? '{}')
    assert.deepEqual([done.id, done.status, done.items_collected], [runId, 'completed', 20])
  }
})

interface Heard {
  readonly event: string
  readonly id: string
  readonly data: string
}

/** In the browser: all that was heard, how often a stream was open and how often one was refused. */
const LISTEN = `window.heard = []; window.opened = 0; window.refused = 0
  window.listen = (url, onRefusal) => {
    const source = new EventSource(url)
    source.onopen = () => { opened++ }
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return
      refused++
      onRefusal?.()
    }
    for (const event of ${JSON.stringify(EVENTS)}) {
      source.addEventListener(event, ({ data, lastEventId: id }) => {
        heard.push({ event, id, data })
        if (event === 'done') source.close()
      })
    }
  }`

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
