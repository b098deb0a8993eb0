import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runBeside, type TestServer, until } from '#test-kit'
import { accessSuite } from './support.ts'

const DAY_MS = 86_400_000

export const keys = accessSuite(
  'keys',
  ({ kind, server, call, data, issueKey, createPlan, createUser }) => {
    test('access 2: issued keys have their form, are distinct and are shown once', async () => {
      const plan = await createPlan()
      const body = { plan_id: plan.id, name: 'ci' }
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => call('POST', '/keys', { body })),
      )
      const keys = answers.map((answer) => answer.body.data.key)
      assert.equal(new Set(keys).size, 200)
      const [first] = answers
      assert.equal(first?.headers.get('cache-control'), 'no-store')
      for (const { status, body } of answers) {
        assert.equal(status, 201)
        assert.match(body.data.key, /^sk_[A-Za-z0-9]{48}$/)
        assert.equal(body.data.prefix, body.data.key.slice(0, 8))
        assert.equal(body.data.key_prefix, body.data.prefix)
        assert.equal(body.data.status, 'active')
        assert.equal(body.data.access, 'read')
        assert.equal(body.data.expires_at, null)
      }
    })

    test('access 2: neither raw key nor hash is in an answer or log, nor the raw key in the database', async () => {
      const { id, key } = await issueKey({ name: 'secret' })
      const rotated = await data('POST', `/keys/${id}/rotate`)
      const secrets = [key, rotated.key, hash('sha256', key), hash('sha256', rotated.key)]
      await call('GET', '/me', { key })
      await call('GET', '/me', { key: `${key.slice(0, -1)}_` })
      const seen = await Promise.all(
        [`/keys/${id}`, '/keys?limit=1000', '/me', '/users', '/openapi.json'].map((path) =>
          call('GET', path),
        ),
      )
      const revoked = await call('POST', `/keys/${id}/revoke`)
      const places = [...seen, revoked].map(({ body }) => JSON.stringify(body))
      places.push(server().output(), server().log())
      for (const text of places) {
        for (const secret of secrets) assert.equal(text.includes(secret), false)
      }
      assert.equal(Object.hasOwn(seen[0]?.body.data ?? {}, 'key_hash'), false)
      const stored = await everythingIn(server())
      for (const secret of [key, rotated.key]) assert.equal(stored.includes(secret), false)
    })

    test('access 11: with a grace time both secrets work, on one key', async () => {
      const issued = await issueKey({ name: 'rotating' })
      const answer = await call('POST', `/keys/${issued.id}/rotate`, {
        body: { grace_seconds: 60 },
      })
      assert.equal(answer.status, 201)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      const rotated = answer.body.data
      assert.equal(rotated.id, issued.id)
      assert.notEqual(rotated.key, issued.key)
      assert.equal(rotated.prefix, rotated.key.slice(0, 8))
      assert.equal(rotated.previous_key_prefix, issued.prefix)

      for (const key of [issued.key, rotated.key]) {
        const me = await call('GET', '/me', { key })
        assert.equal(me.body.data.key.id, issued.id)
        assert.equal(me.body.data.key.previous_valid_until, rotated.previous_valid_until)
      }
      await server().setClockOffset(61_000)
      const late = await call('GET', '/me', { key: issued.key })
      assert.deepEqual([late.status, late.body.code], [403, 'key_rotated'])
      assert.equal((await call('GET', '/me', { key: rotated.key })).status, 200)
      await server().setClockOffset(0)
    })

    test('access 11: without grace the old secret ends at once, also an older one', async () => {
      const issued = await issueKey()
      const second = await data('POST', `/keys/${issued.id}/rotate`)
      assert.equal((await call('GET', '/me', { key: issued.key })).status, 200)
      const third = await data('POST', `/keys/${issued.id}/rotate`, { body: { grace_seconds: 0 } })
      for (const key of [issued.key, second.key]) {
        const refused = await call('GET', '/me', { key })
        assert.deepEqual([refused.status, refused.body.code], [403, 'key_rotated'])
      }
      assert.equal((await call('GET', '/me', { key: third.key })).status, 200)
    })

    test('access 11: only an active key is rotated, and the grace time has bounds', async () => {
      const { id } = await issueKey()
      for (const grace_seconds of [-1, 2_592_001, 1.5, '60']) {
        const refused = await call('POST', `/keys/${id}/rotate`, { body: { grace_seconds } })
        assert.equal(refused.status, 400, String(grace_seconds))
        assert.equal(refused.body.error.details[0].field, 'grace_seconds')
      }
      await call('DELETE', `/keys/${id}`)
      const revoked = await call('POST', `/keys/${id}/rotate`)
      assert.deepEqual([revoked.status, revoked.body.error.code], [409, 'key_revoked'])
      assert.equal((await call('POST', '/keys/999999/rotate')).body.error.code, 'key_not_found')
    })

    test('revoking is final and may be repeated; the record stays visible', async () => {
      const { id } = await issueKey({ name: 'gone' })
      for (const turn of [1, 2]) {
        const revoked = await call('POST', `/keys/${id}/revoke`, {
          body: { reason: `turn ${turn}` },
        })
        assert.deepEqual([revoked.status, revoked.body.data.status], [200, 'revoked'])
      }
      assert.equal((await call('DELETE', `/keys/${id}`)).status, 204)
      assert.equal((await call('GET', `/keys/${id}`)).body.data.status, 'revoked')
      const changed = await call('PATCH', `/keys/${id}`, { body: { name: 'back' } })
      assert.deepEqual([changed.status, changed.body.error.code], [409, 'key_revoked'])
    })

    test('references and levels are checked against what is stored', async () => {
      const plan = await createPlan()
      const reader = await createUser(`reader-${kind}@example.com`)
      const past = new Date(Date.now() - 1_000).toISOString()
      const cases: [object, number, string][] = [
        [{ plan_id: 999_999 }, 422, 'unknown_plan'],
        [{ plan_id: plan.id, user_id: 999_999 }, 422, 'unknown_user'],
        [{ plan_id: plan.id, user_id: reader.id, access: 'write' }, 422, 'access_exceeds_user'],
        [{ plan_id: plan.id, expires_at: past }, 422, 'expires_at_not_in_future'],
      ]
      for (const [body, status, code] of cases) {
        const refused = await call('POST', '/keys', { body })
        assert.deepEqual([refused.status, refused.body.error.code], [status, code])
      }
      const { id } = await issueKey({ user_id: reader.id })
      const raised = await call('PATCH', `/keys/${id}`, { body: { access: 'admin' } })
      assert.equal(raised.body.error.code, 'access_exceeds_user')
      const moved = await call('PATCH', `/keys/${id}`, { body: { plan_id: 999_999 } })
      assert.equal(moved.body.error.code, 'unknown_plan')
      const ended = await call('PATCH', `/keys/${id}`, { body: { expires_at: past } })
      assert.equal(ended.status, 422)
    })

    test('a plan is kept while an active key has it', async () => {
      const plan = await createPlan({ name: 'Used' })
      const { id } = await issueKey({ plan_id: plan.id })
      const refused = await call('DELETE', `/plans/${plan.id}`)
      assert.deepEqual([refused.status, refused.body.error.code], [409, 'plan_in_use'])
      await call('DELETE', `/keys/${id}`)
      assert.equal((await call('DELETE', `/plans/${plan.id}`)).status, 204)
      assert.equal((await call('GET', `/plans/${plan.id}`)).body.error.code, 'plan_not_found')
      assert.equal((await call('GET', `/keys/${id}`)).body.data.plan_id, plan.id)
    })

    test('the last use of a key is written down, exact to a minute', async () => {
      const { id, key } = await issueKey()
      assert.equal((await call('GET', `/keys/${id}`)).body.data.last_used_at, null)
      await call('GET', '/me', { key })
      const at = await until(
        async () => (await call('GET', `/keys/${id}`)).body.data.last_used_at ?? undefined,
      )
      assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000)
    })

    test('the stored status of an expired key follows, and its owner is told', async () => {
      const expires_at = new Date(Date.now() + DAY_MS).toISOString()
      const { id } = await issueKey({ expires_at, name: 'short-lived' })
      await server().setClockOffset(DAY_MS + 1_000)
      try {
        await until(async () => (await eventsOf(server(), id)).includes('key.expired'), {
          withinMs: 20_000,
        })
        assert.deepEqual(await eventsOf(server(), id), ['key.created', 'key.expired'])
      } finally {
        await server().setClockOffset(0)
      }
    })

    test('every change of a key leaves its event', async () => {
      const { id } = await issueKey()
      await call('POST', `/keys/${id}/rotate`)
      await call('POST', `/keys/${id}/revoke`)
      await call('POST', `/keys/${id}/revoke`)
      assert.deepEqual(await eventsOf(server(), id), ['key.created', 'key.rotated', 'key.revoked'])
    })

    test('lists page by offset and by keyset, filter, sort, and tell so in headers', async () => {
      const user = await createUser(`lists-${kind}@example.com`)
      const plan = await createPlan({ name: 'Lists' })
      const names = ['c', 'a', 'b', 'e', 'd']
      for (const name of names) await issueKey({ user_id: user.id, plan_id: plan.id, name })
      const own = `user_id=${user.id}&plan_id=${plan.id}`
      const sorted = await call('GET', `/keys?${own}&sort=name&order=desc&per_page=2&page=2`)
      assert.deepEqual(
        sorted.body.data.map((key: { name: string }) => key.name),
        ['c', 'b'],
      )
      assert.deepEqual(sorted.body.meta, { page: 2, per_page: 2, total: 5, total_pages: 3 })
      assert.equal(sorted.headers.get('x-total-count'), '5')
      for (const [page, rows] of [
        ['1', 2],
        ['3', 1],
        ['9', 0],
      ] as const) {
        const { body } = await call('GET', `/keys?${own}&per_page=2&page=${page}`)
        assert.deepEqual([body.data.length, body.meta.total], [rows, 5], `page ${page}`)
      }
      assert.equal((await call('GET', `/keys?${own}&prefix=sk_none0`)).body.meta.total, 0)
      assert.match(sorted.headers.get('link') ?? '', /page=1.*rel="prev".*page=3.*rel="next"/)

      const seen: number[] = []
      let after = 0
      for (;;) {
        const page = await call('GET', `/keys?${own}&after_id=${after}&limit=2`)
        seen.push(...page.body.data.map((key: { id: number }) => key.id))
        if (!page.body.meta.has_more) break
        after = page.body.meta.next_after_id
      }
      assert.equal(seen.length, 5)
      assert.deepEqual(
        seen,
        seen.toSorted((a, b) => a - b),
      )
      const [id] = seen
      const back = await call('GET', `/keys?${own}&before_id=${seen[2]}&limit=1`)
      assert.deepEqual(
        back.body.data.map((key: { id: number }) => key.id),
        [seen[1]],
      )
      const prefix = (await data('GET', `/keys/${id}`)).key_prefix
      const byPrefix = await call('GET', `/keys?prefix=${prefix}&status=active&wrong=1`)
      assert.equal(byPrefix.body.data[0].id, id)
      assert.equal(byPrefix.headers.get('x-ignored-parameters'), 'wrong')
    })
  },
)

/** All files of the data directory, or all rows of the schema, as one text. */
async function everythingIn(server: TestServer): Promise<string> {
  const { env, dataDir } = server
  if (env['ENTREPOT_DATABASE_URL'] === undefined) {
    const files = readdirSync(dataDir).filter((name) => /\.db/.test(name))
    return files.map((name) => readFileSync(join(dataDir, name), 'latin1')).join('')
  }
  const tables = await runBeside(
    server,
    'select table_name from information_schema.tables where table_schema = current_schema()',
  )
  let text = ''
  for (const { table_name } of tables) {
    text += JSON.stringify(await runBeside(server, `select t::text from ${table_name} t`))
  }
  return text
}

/** Types of the events about one key, in the order they were written. */
async function eventsOf(server: TestServer, keyId: number): Promise<string[]> {
  const select = "select type, payload from kernel_events where type like 'key.%' order by ord"
  const rows = await runBeside(server, select)
  return rows
    .filter(({ payload }) => JSON.parse(String(payload)).key_id === keyId)
    .map(({ type }) => String(type))
}
