import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { type FastifyReply, fastify } from 'fastify'
import { DomainError, random } from '#kernel'
import { createSecretBox } from '#secrets'
import { eachDatabase, openTestDatabase, silentLog, type TestDatabase, until } from '#test-kit'
import { createIdempotency } from '../../src/kernel/http/idempotency/keys.ts'
import { once, useIdempotency } from '../../src/kernel/http/idempotency.ts'

const STATUS: Record<string, number> = { invalid: 400, conflict: 409, unprocessable: 422 }

eachDatabase('Idempotency-Key', (kind) => {
  const opened = openTestDatabase(kind)

  test('the second answer is the first one again, and the work is done once', async () => {
    const { post, done } = await server(await opened, async (reply, n) => {
      reply.code(201).header('location', `/things/${n}`).header('etag', `"${n}"`)
      return reply.header('x-request-id', `r${n}`).send({ id: n, name: 'é' })
    })
    const [first, second] = [await post('k1'), await post('k1')]
    assert.equal(done(), 1)
    assert.equal(second.status, 201)
    assert.equal(second.text, first.text)
    for (const name of ['location', 'etag', 'content-type']) {
      assert.equal(second.headers.get(name), first.headers.get(name), name)
    }
    assert.equal(first.headers.get('idempotent-replayed'), null)
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    assert.equal(second.headers.get('x-request-id'), null)
  })

  test('of many requests at once one does the work; the others wait their turn or get its answer', async () => {
    const { post, done } = await server(await opened, async (_reply, n) => {
      await new Promise((resolve) => setImmediate(resolve))
      return { id: n }
    })
    const answers = await Promise.all(Array.from({ length: 25 }, () => post('k2')))
    assert.equal(done(), 1)
    for (const { status, text } of answers) {
      if (status === 409) assert.equal(JSON.parse(text).error.code, 'idempotency_in_progress')
      else assert.deepEqual([status, text], [200, '{"id":1}'])
    }
    assert.equal((await post('k2')).text, '{"id":1}')
  })

  test('requests without the header, and routes without the mark, do their work each time', async () => {
    const { post, done } = await server(await opened, async (_reply, n) => ({ id: n }))
    await post(undefined)
    await post(undefined)
    await post('k3', { path: '/plain' })
    await post('k3', { path: '/plain' })
    assert.equal(done(), 4)
  })

  test('another body or query is refused and does nothing', async () => {
    const { post, done } = await server(await opened, async (_reply, n) => ({ id: n }))
    await post('k4', { body: { a: 1 } })
    for (const request of [{ body: { a: 2 } }, { body: { a: 1 }, path: '/things?url=x' }]) {
      const refused = await post('k4', request)
      assert.equal(refused.status, 422)
      assert.equal(JSON.parse(refused.text).error.code, 'idempotency_mismatch')
    }
    assert.equal(done(), 1)
  })

  test('a secret that was lost on its way is shown to the level that asked for it, and to no other', async () => {
    const started = await opened
    const { post, done } = await server(started, async (reply, n) => {
      const key = await once(reply.request, (keep) =>
        started.database.main.transaction(undefined, async (tx) => {
          await keep?.(tx, `sk_${n}`)
          return `sk_${n}`
        }),
      )
      if (n === 1) reply.raw.destroy()
      return { key }
    })
    const sent = { path: '/secret', access: 'admin' }
    await assert.rejects(post('level', sent))
    const weaker = await until(async () => {
      const given = await post('level', { ...sent, access: 'read' })
      return given.status !== 409 && given
    })
    assert.deepEqual(
      [weaker.status, JSON.parse(weaker.text)],
      [422, { error: { code: 'idempotency_mismatch' } }],
    )
    assert.equal(done(), 1)
    assert.equal((await post('level', sent)).text, '{"key":"sk_1"}')
    await post('level', { access: 'write' })
    assert.equal((await post('level', { access: 'read' })).status, 422)
  })

  test('another user and another path have keys of their own', async () => {
    const { post } = await server(await opened, async (_reply, n) => ({ id: n }))
    const texts = [
      await post('k5'),
      await post('k5', { user: '8' }),
      await post('k5', { path: '/others' }),
      await post('k5'),
    ].map(({ text }) => text)
    assert.deepEqual(texts, ['{"id":1}', '{"id":2}', '{"id":3}', '{"id":1}'])
  })

  test('a refusal is kept like any answer, a failure of ours and "later" are not', async () => {
    const statuses: Record<string, number> = { k6: 404, k7: 500, k8: 503, k9: 429 }
    const { post, done } = await server(await opened, async (reply) => {
      const key = String(reply.request.headers['idempotency-key'])
      return reply.code(statuses[key] ?? 200).send({ error: key })
    })
    for (const [key, status] of Object.entries(statuses)) {
      const before = done()
      assert.equal((await post(key)).status, status)
      const again = await post(key)
      assert.equal(again.status, status)
      assert.equal(again.headers.has('idempotent-replayed'), status === 404)
      assert.equal(done() - before, status === 404 ? 1 : 2)
    }
  })

  test('an error that the handler throws is answered and not kept', async () => {
    const { post, done } = await server(await opened, async (_reply, n) => {
      if (n === 1) throw new Error('broken')
      return { id: n }
    })
    assert.equal((await post('k10')).status, 500)
    assert.equal((await post('k10')).text, '{"id":2}')
    assert.equal(done(), 2)
  })

  test('an answer with a secret that is shown once is nowhere kept', async () => {
    const started = await opened
    const { post, done } = await server(started, async (_reply, n) => ({ key: `sk_${n}` }))
    await post('k11', { path: '/secret' })
    const again = await post('k11', { path: '/secret' })
    assert.deepEqual([again.text, done()], ['{"key":"sk_2"}', 2])
    const { main } = started.database
    // Its key is given back when the answer has left.
    await until(async () => {
      const rows = await main.reader.selectFrom('kernel_idempotency').selectAll().execute()
      return rows.every((row) => row.key !== 'k11')
    })
  })

  test('access 8a: what was done when its answer was lost is not done again, and answered the same', async () => {
    const started = await opened
    const { main } = started.database
    let made = 0
    const { post, done } = await server(started, async (reply, n) => {
      const id = await once(reply.request, (keep) =>
        main.transaction(undefined, async (tx) => {
          await keep?.(tx, { id: ++made, at: new Map([['a', 1n]]) })
          return { id: made, at: new Map([['a', 1n]]) }
        }),
      )
      if (n === 1) return reply.code(500).send({ error: 'lost' })
      return { id: id.id, at: String(id.at.get('a')) }
    })
    assert.equal((await post('k17')).status, 500)
    assert.equal((await post('k17')).text, '{"id":1,"at":"1"}')
    assert.deepEqual([made, done()], [1, 2])
    const again = await post('k17')
    assert.deepEqual(
      [again.text, again.headers.get('idempotent-replayed')],
      ['{"id":1,"at":"1"}', 'true'],
    )
    const rows = await main.reader.selectFrom('kernel_idempotency').selectAll().execute()
    assert.equal(rows.find((row) => row.key === 'k17')?.receipt, null)
  })

  test('access 8a: a try that others took over from changes nothing and is told to wait', async () => {
    const started = await opened
    const { main } = started.database
    const [isBegun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let made = 0
    const { post } = await server(started, async (reply, n) => {
      if (n === 1) {
        isBegun.resolve()
        await mayEnd.promise
      }
      const id = await once(reply.request, (keep) =>
        main.transaction(undefined, async (tx) => {
          await keep?.(tx, n)
          made++
          return n
        }),
      )
      return { id }
    })
    const late = post('k18')
    await isBegun.promise
    started.clock.setOffset(61_000)
    assert.equal((await post('k18')).text, '{"id":2}')
    mayEnd.resolve()
    assert.equal((await late).status, 409)
    assert.equal((await post('k18')).text, '{"id":2}')
    assert.equal(made, 1)
    started.clock.setOffset(0)
  })

  test('access 8a: a secret whose answer was cut off is shown to the next try', async () => {
    const started = await opened
    const { main } = started.database
    const isBegun = Promise.withResolvers<void>()
    const { post } = await server(started, async (reply, n) => {
      const key = await once(reply.request, (keep) =>
        main.transaction(undefined, async (tx) => {
          await keep?.(tx, `sk_${n}`)
          return `sk_${n}`
        }),
      )
      if (n === 1) {
        isBegun.resolve()
        await new Promise((resolve) => reply.raw.once('close', resolve))
      }
      return { key }
    })
    const abort = new AbortController()
    const cut = post('k19', { path: '/secret', signal: abort.signal })
    const lost = assert.rejects(cut, { name: 'AbortError' })
    await isBegun.promise
    abort.abort()
    await lost
    const shown = await until(async () => {
      const answer = await post('k19', { path: '/secret' })
      return answer.status === 200 && answer.text
    })
    assert.equal(shown, '{"key":"sk_1"}')
  })

  test('empty and binary answers are kept as they are, a stream is not', async () => {
    const bytes = Buffer.from([0, 255, 128, 10])
    const { post, done } = await server(await opened, async (reply) => {
      const key = reply.request.headers['idempotency-key']
      if (key === 'k12') return reply.code(204).send()
      if (key === 'k13') return reply.type('image/png').send(bytes)
      return reply.type('text/plain').send(Readable.from(['a', 'b']))
    })
    for (const key of ['k12', 'k12']) {
      const answer = await post(key)
      assert.deepEqual([answer.status, answer.text], [204, ''])
      assert.equal(answer.headers.get('content-type'), null)
    }
    await post('k13')
    const binary = await post('k13')
    assert.deepEqual(binary.bytes, bytes)
    assert.equal(binary.headers.get('content-type'), 'image/png')
    assert.equal(done(), 2)
    for (const key of ['k14', 'k14']) assert.equal((await post(key)).text, 'ab')
    assert.equal(done(), 4)
  })

  test('a key outside of 1 to 255 printable characters is refused', async () => {
    const { post, done } = await server(await opened, async (_reply, n) => ({ id: n }))
    for (const key of ['', 'x'.repeat(256), 'a\tb', 'é']) {
      const refused = await post(key)
      assert.equal(refused.status, 400, JSON.stringify(key))
      assert.equal(JSON.parse(refused.text).error.code, 'invalid_parameter')
    }
    assert.equal(done(), 0)
    assert.equal((await post(`~ ${'x'.repeat(253)}`)).status, 200)
  })

  test('a client that gave up and asks again gets the answer of its first request', async () => {
    const [started, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { post, done } = await server(await opened, async (_reply, n) => {
      started.resolve()
      await mayEnd.promise
      return { id: n }
    })
    const abort = new AbortController()
    const lost = assert.rejects(post('k15', { signal: abort.signal }), { name: 'AbortError' })
    await started.promise
    abort.abort()
    await lost
    assert.equal((await post('k15')).status, 409)
    mayEnd.resolve()
    const answer = await until(async () => {
      const given = await post('k15')
      return given.status === 200 && given
    })
    assert.deepEqual([answer.text, done()], ['{"id":1}', 1])
    assert.equal(answer.headers.get('idempotent-replayed'), 'true')
  })

  test('a handler that takes the connection over leaves its key free', async () => {
    const { post, done } = await server(await opened, async (reply) => {
      reply.hijack()
      reply.raw.end('raw')
    })
    assert.equal((await post('k16')).text, 'raw')
    await until(async () => (await post('k16')).text === 'raw')
    assert.ok(done() >= 2)
  })
})

interface Sent {
  readonly path?: string
  readonly body?: unknown
  readonly user?: string
  readonly access?: string
  readonly signal?: AbortSignal
}

/** A small server whose routes all call `work` with the number of the call. */
async function server(
  { database }: TestDatabase,
  work: (reply: FastifyReply, n: number) => Promise<unknown>,
) {
  let calls = 0
  const app = fastify({ forceCloseConnections: true })
  const secrets = createSecretBox({ current: random.bytes(32), random })
  useIdempotency(app, {
    idempotency: createIdempotency({ db: database, owner: 'a', random, secrets }),
    userOf: (request) => String(request.headers['x-user']),
    log: silentLog,
  })
  app.decorateRequest('actor', null)
  app.addHook('onRequest', async (request) => {
    const { 'x-access': access } = request.headers
    if (access !== undefined) Object.assign(request, { actor: { access } })
  })
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof DomainError)) return reply.code(500).send({ error: 'internal' })
    return reply.code(STATUS[error.kind] ?? 500).send({ error: { code: error.code } })
  })
  const handler = (_request: unknown, reply: FastifyReply) => work(reply, ++calls)
  for (const url of ['/things', '/others']) {
    app.post(url, { config: { idempotent: true } }, handler)
  }
  app.post('/secret', { config: { idempotent: 'no-store' } }, handler)
  app.post('/plain', handler)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  after(() => app.close())
  // Each server starts with users of its own, so that keys of other tests do not matter.
  const prefix = random.text(8)
  return { post, done: () => calls }

  async function post(key: string | undefined, sent: Sent = {}) {
    const { path, body, user, access, signal } = sent
    const answer = await fetch(`${address}${path ?? '/things'}`, {
      method: 'POST',
      body: JSON.stringify(body ?? { name: 'x' }),
      headers: {
        'content-type': 'application/json',
        'x-user': `${prefix}${user ?? '7'}`,
        ...(access === undefined ? {} : { 'x-access': access }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(signal ? { signal } : {}),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    return { status: answer.status, headers: answer.headers, bytes, text: bytes.toString() }
  }
}
