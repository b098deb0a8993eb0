import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ADMIN_KEY } from '#test-kit'
import { accessSuite } from './support.ts'

interface Holder {
  readonly userId: number
  readonly keyId: number
  readonly key: string
}

export const ownership = accessSuite(
  'levels and owners',
  ({ call, data, createUser, createPlan, issueKey }) => {
    let plan = 0
    let writer: Holder
    let other: Holder

    before(async () => {
      plan = (await createPlan({ name: 'Levels' })).id
      writer = await holder('writer', 'write', 'read')
      other = await holder('other', 'write', 'write')
    })

    async function holder(name: string, level: string, access: string): Promise<Holder> {
      const user = await createUser(`${name}@example.com`, { access: level })
      const { id, key } = await issueKey({ user_id: user.id, plan_id: plan, access })
      return { userId: user.id, keyId: id, key }
    }

    // Creating a plan and reading users need a level above `read` too.
    test('access 12: a read key is refused what needs more, and told what', async () => {
      const { key } = writer
      const body = { name: 'x', requests_per_month: 1, requests_per_minute: 1 }
      for (const [method, path, sent] of [
        ['POST', '/plans', { key, body }],
        ['GET', '/users', { key }],
        ['GET', `/users/${writer.userId}`, { key }],
        ['PATCH', '/settings/limits', { key, body: {} }],
      ] as const) {
        const refused = await call(method, path, sent)
        assert.equal(refused.status, 403, path)
        assert.deepEqual(refused.body.error, {
          code: 'forbidden',
          message: 'This operation needs admin access',
          required: 'admin',
        })
      }
      const seen = await data('GET', `/plans/${plan}`, { key })
      assert.equal(seen.name, 'Levels')
      assert.equal('created_at' in seen, false)
    })

    test('access 12: keys of others do not exist, exactly as unknown ones', async () => {
      const { key } = writer
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { name: 'mine' }],
        ['PATCH', '', { access: 'admin' }],
        ['DELETE', '', undefined],
        ['POST', '/rotate', {}],
        ['POST', '/revoke', {}],
      ] as const) {
        const foreign = await call(method, `/keys/${other.keyId}${path}`, { key, body })
        const unknown = await call(method, `/keys/999999${path}`, { key, body })
        assert.deepEqual([foreign.status, foreign.body], [404, unknown.body])
        assert.equal(foreign.body.error.code, 'key_not_found')
      }
      assert.equal((await data('GET', `/keys/${other.keyId}`)).status, 'active')
      const own = await call('GET', '/keys', { key })
      assert.deepEqual(
        own.body.data.map(({ user_id }: { user_id: number }) => user_id),
        [writer.userId],
      )
      const foreign = await call('GET', `/keys?user_id=${other.userId}`, { key })
      assert.deepEqual([foreign.status, foreign.body.data], [200, []])
    })

    test('access 12: a read key rotates and revokes own keys, but none of a higher level', async () => {
      const { key, userId } = writer
      const higher = await issueKey({ user_id: userId, plan_id: plan, access: 'write' })
      const refused = await call('POST', `/keys/${higher.id}/rotate`, { key })
      assert.deepEqual([refused.status, refused.body.error.required], [403, 'write'])
      assert.equal((await call('GET', '/me', { key: higher.key })).status, 200)
      assert.equal((await call('POST', `/keys/${higher.id}/revoke`, { key })).status, 200)

      const same = await issueKey({ user_id: userId, plan_id: plan })
      const rotated = await call('POST', `/keys/${same.id}/rotate`, { key })
      assert.equal(rotated.status, 201)
      assert.equal((await call('DELETE', `/keys/${same.id}`, { key })).status, 204)
    })

    test('access 12: an owner may change the name of a key, nothing else', async () => {
      const { key, keyId } = writer
      const named = await call('PATCH', `/keys/${keyId}`, { key, body: { name: 'mine' } })
      assert.equal(named.body.data.name, 'mine')
      const expires_at = new Date(Date.now() + 60_000).toISOString()
      for (const body of [
        { access: 'read' },
        { plan_id: plan },
        { expires_at },
        { expires_at: null },
      ]) {
        const refused = await call('PATCH', `/keys/${keyId}`, { key, body })
        assert.deepEqual([refused.status, refused.body.error.required], [403, 'admin'])
      }
    })

    test('access 12: self-service as far as the plan allows, also with many calls at once', async () => {
      const { key, userId } = other
      const closed = await call('POST', '/keys', { key, body: { plan_id: plan } })
      assert.deepEqual([closed.status, closed.body.error.code], [403, 'forbidden'])
      const open = (await createPlan({ name: 'Open', keys_per_user: 3 })).id
      const body = { plan_id: open, access: 'write' }
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => call('POST', '/keys', { key, body })),
      )
      const issued = answers.filter(({ status }) => status === 201)
      assert.equal(issued.length, 3)
      for (const { body } of issued) assert.equal(body.data.user_id, userId)
      for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
        assert.deepEqual([status, body.error.code], [409, 'key_limit_reached'])
      }
      const above = await call('POST', '/keys', { key, body: { ...body, access: 'admin' } })
      assert.equal(above.body.error.code, 'forbidden')
      const foreign = await call('POST', '/keys', {
        key,
        body: { ...body, user_id: writer.userId },
      })
      assert.equal(foreign.body.error.code, 'forbidden')
      const lower = await call('POST', '/keys', { key: writer.key, body })
      assert.deepEqual([lower.status, lower.body.error.required], [403, 'write'])
    })

    test('access 12: deleting a user revokes the keys and frees the address', async () => {
      const email = 'leaver@example.com'
      const user = await data('POST', '/users', {
        body: { email, password: 'long enough' },
      })
      const issued = await data('POST', '/keys', {
        body: { plan_id: plan, user_id: user.id },
      })
      assert.equal((await call('DELETE', `/users/${user.id}`)).status, 204)
      assert.equal((await call('GET', '/me', { key: issued.key })).body.code, 'key_revoked')
      assert.equal((await call('GET', `/users/${user.id}`)).status, 404)
      const kept = await data('GET', `/keys/${issued.id}`)
      assert.deepEqual([kept.status, kept.user_id], ['revoked', user.id])
      const login = { email, password: 'long enough' }
      assert.equal((await call('POST', '/sign-in', { key: null, body: login })).status, 401)
      const again = await call('POST', '/users', { body: { email } })
      assert.equal(again.status, 201)
      const taken = await call('POST', '/users', { body: { email: email.toUpperCase() } })
      assert.deepEqual([taken.status, taken.body.error.code], [409, 'email_taken'])
    })
  },
)

/** Last of all: it cannot be said which of two admin keys it leaves. */
export const lastAdmin = accessSuite('the last admin', ({ call, data, issueKey }) => {
  // Others have made more of them.
  before(async () => {
    const { user, key } = await data('GET', '/me')
    for (const { id, access } of await listed('/users?')) {
      if (access === 'admin' && id !== user.id) await data('DELETE', `/users/${id}`)
    }
    for (const { id, access } of await listed(`/keys?user_id=${user.id}&status=active&`)) {
      if (access === 'admin' && id !== key.id) await data('DELETE', `/keys/${id}`)
    }
  })

  async function listed(path: string): Promise<{ id: number; access: string }[]> {
    const found = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const { body } = await call('GET', `${path}per_page=100&page=${page}`)
      found.push(...body.data)
      pages = body.meta.total_pages
    }
    return found
  }

  test('access 12: the last admin key keeps a plan by which plans can be changed', async () => {
    const { key: own } = await data('GET', '/me')
    const figures = { requests_per_month: -1, requests_per_minute: -1 }
    const closed = await data('POST', '/plans', {
      body: { name: 'Closed', ...figures, endpoints: [] },
    })
    const plan = await data('GET', `/plans/${own.plan_id}`)
    for (const [method, path, body] of [
      ['PATCH', `/plans/${plan.id}`, { endpoints: [] }],
      ['PATCH', `/plans/${plan.id}`, { endpoints: ['GET /**', '* /v1/users/**'] }],
      ['PATCH', `/plans/${plan.id}`, { requests_per_month: 0 }],
      ['PUT', `/plans/${plan.id}`, { name: plan.name, ...figures, endpoints: [] }],
      ['PATCH', `/keys/${own.id}`, { plan_id: closed.id }],
    ] as const) {
      const refused = await call(method, path, { body })
      assert.deepEqual([refused.status, refused.body.error?.code], [409, 'last_admin'], path)
      assert.match(refused.body.error.message, /PATCH \/api\/v1\/plans/)
    }
    assert.deepEqual(await data('GET', `/plans/${own.plan_id}`), plan)

    // A second key by which nothing can be repaired does not count.
    const second = await issueKey({ access: 'admin', plan_id: closed.id })
    const body = { expires_at: '2999-01-01T00:00:00.000Z' }
    for (const [method, input] of [['PATCH', body], ['DELETE']] as const) {
      const refused = await call(method, `/keys/${own.id}`, { body: input })
      assert.deepEqual([refused.status, refused.body.error?.code], [409, 'last_admin'])
    }
    await data('DELETE', `/keys/${second.id}`)
    const open = { endpoints: ['* /v1/plans/**', '* /v1/keys/**', 'GET /v1/me'] }
    assert.equal((await call('PATCH', `/plans/${plan.id}`, { body: open })).status, 200)
    await data('PATCH', `/plans/${plan.id}`, { body: { endpoints: plan.endpoints } })
  })

  test('access 12: the last admin key and user are protected, also against two at once', async () => {
    const { user, key: own } = await data('GET', '/me')
    for (const [method, path, body] of [
      ['DELETE', `/keys/${own.id}`, undefined],
      ['POST', `/keys/${own.id}/revoke`, {}],
      ['PATCH', `/keys/${own.id}`, { access: 'read' }],
      ['PATCH', `/keys/${own.id}`, { expires_at: '2999-01-01T00:00:00.000Z' }],
      ['PATCH', `/users/${user.id}`, { access: 'write' }],
      ['PATCH', `/users/${user.id}`, { status: 'disabled' }],
      ['DELETE', `/users/${user.id}`, undefined],
    ] as const) {
      const refused = await call(method, path, { body })
      assert.deepEqual([refused.status, refused.body.error?.code], [409, 'last_admin'], path)
    }
    assert.equal((await data('GET', '/me')).access, 'admin')

    const second = await issueKey({ access: 'admin' })
    const body = { expires_at: '2999-01-01T00:00:00.000Z' }
    assert.equal((await call('PATCH', `/keys/${own.id}`, { body })).status, 200)
    const answers = await Promise.all([
      call('DELETE', `/keys/${own.id}`),
      call('DELETE', `/keys/${second.id}`, { key: second.key }),
    ])
    const statuses = answers.map(({ status }) => status).sort()
    assert.equal(statuses.filter((status) => status === 204).length, 1)
    const left = await Promise.all(
      [ADMIN_KEY, second.key].map(async (key) => (await call('GET', '/me', { key })).status),
    )
    assert.deepEqual(left.toSorted(), [200, 403])
  })
})
