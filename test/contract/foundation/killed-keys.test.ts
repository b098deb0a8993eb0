import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ADMIN_KEY, eachDatabase, installation, startServer, until } from '#test-kit'

const KILLS = 3
const CLIENTS = 8
const REQUESTS_PER_KILL = 40
/** A little longer than a key is held for a process that may be alive. */
const LEASE_MS = 61_000
const BULK = 5

/** A request that is sent again, with its key, until it is answered. */
interface Sent {
  readonly path: string
  readonly type: string
  readonly body: object
  /** Titles of what it makes. */
  readonly titles: readonly string[]
}

eachDatabase('requests with a key on a server that is killed', (kind) => {
  test('access 8a: what was under way at a SIGKILL is made once', async (t) => {
    const server = await startServer(
      await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_ROLES: 'api' }),
    )
    const call = (path: string, init: RequestInit = {}) =>
      fetch(`${server.url}${path}`, {
        ...init,
        headers: { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json', ...init.headers },
      })
    const note = {
      singularName: 'note',
      pluralName: 'notes',
      attributes: { title: { type: 'string' } },
    }
    const made = await call('/api/v1/content-types', {
      method: 'POST',
      body: JSON.stringify(note),
    })
    assert.equal(made.status, 201, await made.text())
    const done: Sent[] = []
    let isOver = false
    let repeated = 0
    let asked = 0

    async function client() {
      while (!isOver) {
        const sent = requestOf(asked++)
        const key = `key-${asked}-${sent.titles[0]}`
        while (!(await send(sent, key))) {
          repeated++
          await delay(20)
        }
        done.push(sent)
      }
    }
    async function send({ path, type, body }: Sent, key: string): Promise<boolean> {
      try {
        const answer = await call(path, {
          method: 'POST',
          headers: { 'content-type': type, 'idempotency-key': key },
          body: JSON.stringify(body),
        })
        const text = await answer.text()
        if (answer.ok) return true
        assert.ok(answer.status === 409 || answer.status >= 500, `${answer.status} ${text}`)
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
      }
      return false
    }
    const clients = Array.from({ length: CLIENTS }, client)
    for (let kill = 1; kill <= KILLS; kill++) {
      await until(() => done.length >= kill * REQUESTS_PER_KILL, { withinMs: 120_000 })
      await server.kill()
      await server.restart()
      await server.setClockOffset(kill * LEASE_MS)
    }
    isOver = true
    await Promise.all(clients)
    t.diagnostic(`${done.length} requests, sent again ${repeated} times, ${KILLS} kills`)
    const stored: string[] = []
    for (let page = 1; ; page++) {
      const answer = await call(`/api/v1/notes?per_page=100&page=${page}`)
      const { data }: { data: { title: string }[] } = JSON.parse(await answer.text())
      stored.push(...data.map(({ title }) => title))
      if (data.length < 100) break
    }
    const told = done
      .filter(({ path }) => path !== '/webhooks/events')
      .flatMap(({ titles }) => titles)
    assert.deepEqual(stored.toSorted(), told.toSorted())
  })
})

function requestOf(n: number): Sent {
  const json = 'application/json'
  const titles = [`t${n}`]
  if (n % 3 === 0) return { path: '/api/v1/notes', type: json, titles, body: { title: `t${n}` } }
  if (n % 3 === 1) {
    const attributes = { title: `t${n}` }
    const type = 'application/vnd.api+json'
    const body = { data: { type: 'node--note', attributes } }
    return { path: '/jsonapi/node/note', type, titles, body }
  }
  const all = Array.from({ length: BULK }, (_, at) => `t${n}-${at}`)
  const operations = all.map((title) => ({ op: 'create', data: { title } }))
  return { path: '/api/v1/notes/bulk', type: json, titles: all, body: { operations } }
}
