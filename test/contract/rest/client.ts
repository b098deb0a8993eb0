import assert from 'node:assert/strict'
import http from 'node:http'
import { before, test } from 'node:test'
import { ADMIN_KEY, freePort, until } from '#test-kit'
import { createClient, EntrepotError } from '../../../client/src/index.ts'
import { restSuite } from './support.ts'

const ENTRIES = 230

export const client = restSuite('the client', ({ server, data, keys }) => {
  const connect = (more: { key?: string; url?: string; retries?: number } = {}) =>
    createClient({ url: `${server().url}/`, key: ADMIN_KEY, ...more })
  before(async () => {
    await data('POST', '/api/v1/authors', { body: { name: 'Ann' } })
    const operations = Array.from({ length: ENTRIES }, (_, at) => ({
      op: 'create' as const,
      data: { title: `Crane ${at}`, rank: at % 7, ...(at % 2 ? { author_id: 1 } : {}) },
    }))
    await connect().collection('articles').bulk(operations)
  })

  test('client: it creates, reads, changes, publishes and deletes', async () => {
    const articles = connect().collection('articles')
    const made = await articles.create({ title: 'Later', status: 'draft', author_id: 1 })
    assert.equal(made.status, 'draft')
    await assert.rejects(articles.get(made.id), isError(404, 'not_found'))
    assert.equal((await articles.publish(made.id)).status, 'published')
    const read = await articles.get(made.document_id, { include: ['author'], fields: ['title'] })
    assert.deepEqual([read.title, read.author.name, 'rank' in read], ['Later', 'Ann', false])
    const changed = await articles.update(made.id, { summary: 'Steel' })
    assert.deepEqual([changed.summary, changed.title], ['Steel', 'Later'])
    assert.equal((await articles.replace(made.id, { title: 'Anew' })).summary, null)
    await articles.update(made.id, { title: 'Working' }, { status: 'draft' })
    assert.equal((await articles.get(made.id)).title, 'Anew')
    assert.equal((await articles.discardDraft(made.id)).title, 'Anew')
    assert.equal((await articles.unpublish(made.id)).status, 'draft')
    await articles.delete(made.id)
    await assert.rejects(articles.get(made.id, { status: 'all' }), isError(404, 'not_found'))
  })

  test('client: a single type has one entry', async () => {
    const homepage = connect().single('homepage')
    await homepage.replace({ title: 'Port' })
    assert.equal((await homepage.update({ title: 'Harbour' })).title, 'Harbour')
    assert.equal((await homepage.get()).title, 'Harbour')
    await homepage.delete()
    await assert.rejects(homepage.get(), isError(404, 'not_found'))
  })

  test('client: filters are objects, whatever characters their values have', async () => {
    const articles = connect().collection('articles')
    const titles = ['a&b=[c]', '100 % wool?', 'Größe "x"', "x'; --"]
    for (const title of titles) {
      const { id } = await articles.create({ title })
      const found = await articles.list({ filters: { title }, count: false })
      assert.deepEqual([found.data.length, found.data[0].title], [1, title])
      await articles.delete(id)
    }
    const total = async (filters: object) => (await articles.list({ filters })).meta.total
    assert.equal(await total({ author: { name: { $eqi: 'ANN' } } }), ENTRIES / 2)
    assert.equal(await total({ author: null }), ENTRIES / 2)
    assert.equal(await total({ $or: [{ rank: 3 }, { rank: { $in: [4, 5] } }] }), 33 + 33 + 33)
    assert.equal(await total({ rank: [3, 4] }), 66)
    assert.equal(await total({ rank: { $in: [] } }), 0)
    assert.equal(await total({ rank: { $notIn: [] } }), ENTRIES)
    assert.equal(await total({ created_at: { $lt: new Date('2020-01-01') } }), 0)
    assert.equal(await total({ $not: { rank: { $between: [1, 6] } } }), 33)
    await assert.rejects(total({ size: 3 }), isError(400, 'invalid_parameter'))
  })

  test('client: an iterator walks by cursor in any order, and stops when its reader does', async () => {
    const articles = connect().collection('articles')
    const ranks: number[] = []
    const ids = new Set<number>()
    for await (const { id, rank } of articles.all({ sort: 'rank', order: 'desc', per_page: 50 })) {
      ranks.push(rank)
      ids.add(id)
    }
    assert.deepEqual([ranks.length, ids.size], [ENTRIES, ENTRIES])
    assert.deepEqual(
      ranks,
      ranks.toSorted((a, b) => b - a),
    )
    let requests = 0
    const counted = createClient({
      ...{ url: server().url, key: keys.read },
      fetch: (...given) => {
        requests += 1
        return fetch(...given)
      },
    })
    for await (const { id } of counted.collection('articles').all({ per_page: 10 })) {
      if (id > 0) break
    }
    assert.equal(requests, 1)
  })

  test('client: a change based on an old record is refused', async () => {
    const articles = connect().collection('articles')
    const first = await articles.create({ title: 'Base' })
    const second = await articles.update(first.id, { summary: 'mine' }, { since: first })
    const stale = articles.update(first.id, { summary: 'theirs' }, { since: first })
    await assert.rejects(stale, isError(412, 'precondition_failed'))
    await assert.rejects(articles.update(first.id, {}, { since: {} }), TypeError)
    await articles.delete(first.id, { since: second })
  })

  test('client: an error has the members of the problem', async () => {
    const articles = connect().collection('articles')
    const error = await articles
      .create({ title: 'x', rank: 'y', price: 'much' })
      .catch((thrown) => thrown)
    assert.ok(error instanceof EntrepotError)
    assert.deepEqual([error.status, error.code], [400, 'validation_error'])
    assert.deepEqual(error.details.map(({ field }) => field).sort(), ['price', 'rank'])
    assert.ok(error.requestId)
    const denied = connect({ key: keys.read }).collection('articles').create({ title: 'x' })
    await assert.rejects(denied, isError(403, 'forbidden', { required: 'write' }))
    const wrong = connect({ key: 'sk_wrong' }).collection('articles').list()
    await assert.rejects(wrong, { status: 401, code: '', message: 'Invalid API key' })
    const atomic = connect()
      .collection('articles')
      .bulk([{ op: 'delete', id: 1_000_000 }], { atomic: true })
    await assert.rejects(atomic, isError(422, 'bulk_failed'))
  })

  test('client: 429 and 503 are waited for as they say, other refusals and far times are not', async (t) => {
    const busy = await startBusy(server().url)
    t.after(busy.close)
    const articles = connect({ url: busy.url }).collection('articles')
    busy.refuse(429, { 'retry-after': '0' }, 503, { 'retry-after': new Date().toUTCString() })
    const made = await articles.create({ title: 'Once' })
    const sent = busy.taken()
    assert.equal(sent.length, 3)
    assert.equal(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size, 1)
    await articles.delete(made.id)
    for (const [status, headers] of [
      [429, { 'retry-after': '61' }],
      [503, {}],
      [500, { 'retry-after': '0' }],
    ] as const) {
      busy.taken()
      busy.refuse(status, headers)
      await assert.rejects(articles.list(), { name: 'EntrepotError', status })
      assert.equal(busy.taken().length, 1)
    }
    busy.refuse(429, { 'retry-after': '30' })
    const signal = AbortSignal.timeout(50)
    await assert.rejects(articles.list({ signal }), { name: 'TimeoutError' })
  })

  test('client: live events go on after a broken connection where they stopped', async (t) => {
    await data('POST', '/webhooks/event-types', {
      body: { name: 'crane.moved', description: 'A crane', visibility: 'all' },
    }).catch(() => undefined)
    const broken = await startBusy(server().url)
    t.after(broken.close)
    const own = connect({ url: broken.url })
    const stop = new AbortController()
    const seen: unknown[] = []
    const reading = (async () => {
      const options = { types: ['article.created'], signal: stop.signal }
      for await (const event of own.events(options)) {
        if (event.kind === 'event') seen.push(event.data['id'])
        if (seen.length === 4) break
      }
    })()
    await until(() => broken.taken().length > 0 || undefined)
    const articles = connect().collection('articles')
    const ids: number[] = []
    const make = async () => void ids.push((await articles.create({ title: 'Event' })).id)
    await until(() => broken.open() > 0 || undefined)
    await make()
    await make()
    await until(() => seen.length === 2)
    broken.cut()
    await make()
    await make()
    await reading
    assert.deepEqual(seen, ids)
    for (const id of ids) await articles.delete(id)
    const never = createClient({ url: `http://127.0.0.1:${await freePort()}` })
    await assert.rejects(never.events().next(), TypeError)
    const wrong = connect({ key: 'sk_wrong' }).events()
    await assert.rejects(wrong.next(), isError(401, ''))
  })
})

function isError(status: number, code: string, members: object = {}) {
  return (error: unknown) => {
    assert.ok(error instanceof EntrepotError, String(error))
    assert.deepEqual([error.status, error.code], [status, code], error.message)
    for (const [name, value] of Object.entries(members)) assert.equal(error.members[name], value)
    return true
  }
}

/** Stands before a server: hands on, but for as many answers as it was told, and can break connections. */
async function startBusy(url: string) {
  const refusals: [number, Record<string, string>][] = []
  let taken: http.IncomingMessage[] = []
  let open = 0
  const proxy = http.createServer((request, response) => {
    taken.push(request)
    const [status, headers] = refusals.shift() ?? []
    if (status !== undefined) return void response.writeHead(status, headers).end()
    const { method = '', headers: sent } = request
    const onward = http.request(`${url}${request.url}`, { method, headers: sent }, (answer) => {
      open += 1
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
  })
  const port = await freePort()
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${port}`,
    refuse(...given: (number | Record<string, string>)[]) {
      for (let at = 0; at < given.length; at += 2) {
        refusals.push([Number(given[at]), Object(given[at + 1])])
      }
    },
    taken() {
      const all = taken
      taken = []
      return all
    },
    open: () => open,
    cut: () => proxy.closeAllConnections(),
    close() {
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}
