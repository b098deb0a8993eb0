import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sent } from '#test-kit'
import { accessSuite } from './support.ts'

const RATES = { requests_per_month: 10, requests_per_minute: 10 }

export const badInput = accessSuite('bad input', ({ kind, call, createPlan, issueKey }) => {
  /** Refused with 400 and these fields named, in details or message. */
  async function refused(method: string, path: string, sent: Sent, fields: string[]) {
    const { status, body } = await call(method, path, sent)
    const where = `${method} ${path} ${JSON.stringify(sent).slice(0, 200)}`
    assert.equal(status, 400, `${where}: ${JSON.stringify(body).slice(0, 300)}`)
    const named = JSON.stringify(body.error).replaceAll('\\"', '"')
    for (const field of fields) assert.ok(named.includes(field), `${where}: ${named.slice(0, 300)}`)
    return body.error
  }

  test('access 19: bodies that are no JSON object', async () => {
    for (const text of ['{', 'hello', '{"email":}', '"\\ud800', '\u0000']) {
      const error = await refused('POST', '/users', { text }, [])
      assert.equal(error.code, 'invalid_json')
    }
    for (const body of [[], [{ email: 'a@b' }], 'text', 7, null, true]) {
      await refused('POST', '/users', { body }, ['body'])
      await refused('PATCH', '/settings/limits', { body }, ['body'])
    }
    const missing = await call('POST', '/users')
    assert.deepEqual([missing.status, missing.body.error.code], [400, 'invalid_json'])
    const form = { 'content-type': 'text/plain' }
    assert.equal((await call('POST', '/users', { text: 'x', headers: form })).status, 415)
    const nul = await call('POST', '/users', { text: '{"email":"a@b","name":"\\u0000"}' })
    assert.equal(nul.status, 400)
  })

  test('access 19: users', async () => {
    const all = await refused(
      'POST',
      '/users',
      { body: { email: 'no address', access: 'root', password: 'short', name: 7 } },
      ['email', 'access', 'password', 'name'],
    )
    assert.equal(all.code, 'validation_error')
    assert.equal(all.details.length, 4)
    await refused('POST', '/users', { body: {} }, ['email'])
    await refused('POST', '/users', { body: { email: 'a@b', name: 'n'.repeat(1_000_000) } }, [
      'name',
    ])
    const unknown = await refused('POST', '/users', { body: { email: 'a@b', admin: true } }, [
      'admin',
    ])
    assert.equal(unknown.code, 'unknown_field')
    await refused('PATCH', '/users/1', { body: { status: 'gone', id: 2 } }, ['status', 'id'])
    await refused('PATCH', '/users/1', { body: { email: null } }, ['email'])
    for (const id of ['999999', 'abc', '1.5', '-1', '99999999999999999999', '1%20or%201=1']) {
      const { status, body } = await call('GET', `/users/${id}`)
      assert.deepEqual([status, body.error.code], [404, 'user_not_found'], id)
    }
  })

  test('access 19: plans', async () => {
    const name = 'P'
    const cases: [object, string[]][] = [
      [{}, ['name', 'requests_per_month', 'requests_per_minute']],
      [{ name, requests_per_month: -2, requests_per_minute: -5 }, ['per_month', 'per_minute']],
      [{ name, requests_per_month: 1, requests_per_minute: 0 }, ['requests_per_minute']],
      [{ name, requests_per_month: 1e13, requests_per_minute: 1e10 }, ['per_month', 'per_minute']],
      [{ name, requests_per_month: '10', requests_per_minute: 1.5 }, ['per_month', 'per_minute']],
      [{ ...RATES, name, price_monthly: 1.234 }, ['price_monthly']],
      [{ ...RATES, name, price_monthly: '1.234' }, ['price_monthly']],
      [{ ...RATES, name, price_monthly: -1 }, ['price_monthly']],
      [{ ...RATES, name, price_monthly: 1e8 }, ['price_monthly']],
      [{ ...RATES, name, price_monthly: true }, ['price_monthly']],
      [{ ...RATES, name, currency: 'usd' }, ['currency']],
      [{ ...RATES, name, keys_per_user: -1 }, ['keys_per_user']],
      [{ ...RATES, name, endpoints: '*' }, ['endpoints']],
      [{ ...RATES, name, endpoints: [1] }, ['endpoints.0']],
      [{ ...RATES, name: '' }, ['name']],
      [{ ...RATES, name: 'n'.repeat(1_000_000) }, ['name']],
      [
        { ...RATES, name, requests_per_minute: 0, price_monthly: 0.001 },
        ['minute', 'price_monthly'],
      ],
      [{ ...RATES, name, price: 5 }, ['price']],
    ]
    for (const [body, fields] of cases) await refused('POST', '/plans', { body }, fields)
    const { id } = await createPlan()
    await refused('PUT', `/plans/${id}`, { body: { name } }, ['requests_per_month'])
    await refused('PATCH', `/plans/${id}`, { body: { name: null } }, ['name'])
  })

  test('access 19: prices are exact, PUT resets and PATCH keeps', async () => {
    const plan = await createPlan({ price_monthly: '19.90', currency: 'EUR', keys_per_user: 2 })
    assert.equal(plan.price_monthly, 19.9)
    const path = `/plans/${plan.id}`
    const kept = await call('PATCH', path, { body: { price_monthly: 0.07, endpoints: [] } })
    const { price_monthly, currency, endpoints, keys_per_user } = kept.body.data
    assert.deepEqual([price_monthly, currency, endpoints, keys_per_user], [0.07, 'EUR', [], 2])
    const reset = await call('PUT', path, { body: { name: 'New', ...RATES } })
    assert.deepEqual(
      [reset.body.data.price_monthly, reset.body.data.currency, reset.body.data.endpoints],
      [0, 'USD', ['*']],
    )
  })

  test('access 19: keys', async () => {
    const { id: plan_id } = await createPlan()
    const dates = [
      'tomorrow',
      '2030-01-01',
      '2030-01-01T00:00:00',
      '2030-01-01T00:00:00+99:00',
      '2030-02-30T00:00:00Z',
      '2030-01-01T00:00:00 Mars/Olympus',
      7,
    ]
    for (const expires_at of dates) {
      await refused('POST', '/keys', { body: { plan_id, expires_at } }, ['expires_at'])
    }
    await refused('POST', '/keys', { body: {} }, ['plan_id'])
    await refused('POST', '/keys', { body: { plan_id: '1', user_id: 0 } }, ['plan_id', 'user_id'])
    await refused('POST', '/keys', { body: { plan_id, name: 'n'.repeat(1_000_000) } }, ['name'])
    await refused('POST', '/keys', { body: { plan_id, status: 'active' } }, ['status'])
    const { id } = await issueKey({ plan_id })
    await refused('POST', `/keys/${id}/revoke`, { body: { reason: 7 } }, ['reason'])
    await refused('POST', `/keys/${id}/rotate`, { body: { grace: 1 } }, ['grace'])
    assert.equal((await call('GET', '/keys/x')).body.error.code, 'key_not_found')
    assert.equal((await call('GET', '/plans/x')).body.error.code, 'plan_not_found')
  })

  test('access 19: list parameters', async () => {
    for (const [query, name] of [
      ['per_page=0', 'per_page'],
      ['per_page=-1', 'per_page'],
      ['per_page=1.5', 'per_page'],
      ['page=abc', 'page'],
      ['page=0', 'page'],
      ['page=1&page=2', 'page'],
      ['page=9007199254740993', 'page'],
      ['sort=key_hash', 'sort'],
      ['sort=id;drop', 'sort'],
      ['order=up', 'order'],
      ['after_id=abc', 'after_id'],
      ['limit=0', 'limit'],
      ['limit=5&page=1', 'limit'],
      ['after_id=1&sort=name', 'sort'],
    ] as const) {
      for (const path of ['/keys', '/users', '/plans']) {
        await refused('GET', `${path}?${query}`, {}, [name])
      }
    }
    for (const query of ['status=gone', 'user_id=abc', 'plan_id=1.5']) {
      await refused('GET', `/keys?${query}`, {}, [query.split('=')[0] ?? ''])
    }
    for (const query of ['status=revoked', 'created_after=yesterday', 'created_after=2026-02-30']) {
      await refused('GET', `/users?${query}`, {}, [query.split('=')[0] ?? ''])
    }
    const { body: unsorted } = await call('GET', '/plans?sort=colour')
    assert.equal(unsorted.error.message.match(/\bid\b/g)?.length, 1, unsorted.error.message)
    const lowered = await call('GET', '/keys?per_page=100000')
    assert.deepEqual([lowered.status, lowered.body.meta.per_page], [200, 100])
    assert.equal((await call('GET', '/keys?limit=100000')).body.meta.limit, 1000)
    assert.deepEqual((await call('GET', '/users?page=1000')).body.data, [])
    const strict = { headers: { prefer: 'handling=strict' } }
    await refused('GET', '/users?colour=red', strict, ['colour'])
  })

  test('a parameter that a route does not know is named, and refused when the client asked to be strict', async () => {
    const { id: plan } = await createPlan()
    const { id: key } = await issueKey()
    const headers = { prefer: 'handling=strict' }
    const known = ['/me', '/settings/limits', '/nodes', '/overview', '/overview/log', '/sign-in']
    for (const path of [...known, '/plans', `/plans/${plan}`, `/keys/${key}`, '/views']) {
      const named = await call('GET', `${path}?pgae=2&a%20b=1&api_key=x`)
      assert.equal(named.headers.get('x-ignored-parameters'), 'pgae, a_b', path)
      const answer = await call('GET', path, { headers })
      assert.equal(answer.headers.get('x-ignored-parameters'), null, path)
      assert.notEqual(answer.status, 400, path)
      const { status, body } = await call('GET', `${path}?pgae=2`, { headers })
      assert.deepEqual([status, body.error?.code], [400, 'invalid_parameter'], path)
    }
    const body = { name: 'Renamed' }
    for (const [method, path] of [
      ['PATCH', `/plans/${plan}`],
      ['PATCH', `/keys/${key}`],
      ['DELETE', `/keys/${key}`],
    ] as const) {
      const sent = method === 'PATCH' ? { body, headers } : { headers }
      assert.equal((await call(method, `${path}?dry_run=true`, sent)).status, 400, path)
      const kept = await call('GET', path)
      assert.notEqual(kept.body.data.name, 'Renamed')
      assert.notEqual(kept.body.data.status, 'revoked')
    }
  })

  test('access 19: users are found by address, status and time', async () => {
    const body = { email: `Found-${kind}@Example.com`, name: 'Found' }
    const created = await call('POST', '/users', { body })
    assert.equal(created.status, 201)
    assert.equal(created.headers.get('location'), `/api/v1/users/${created.body.data.id}`)
    const { id, created_at } = created.body.data
    const ids = async (query: string) =>
      (await call('GET', `/users?${query}`)).body.data.map((user: { id: number }) => user.id)
    assert.deepEqual(await ids(`email=found-${kind}@example.com`), [id])
    assert.equal((await ids('status=active&order=desc'))[0], id)
    assert.equal((await ids(`created_after=${encodeURIComponent(created_at)}`)).includes(id), false)
    assert.equal((await ids(`created_after=${created_at.slice(0, 10)}`)).includes(id), true)
    assert.deepEqual(await ids('status=disabled'), [])

    const more = { email: `sought-${kind}@Example.com`, name: 'Zoë ÅNGSTRÖM 100%' }
    const { id: sought } = (await call('POST', '/users', { body: more })).body.data
    const q = (text: string) => ids(`q=${encodeURIComponent(text)}`)
    for (const text of ['zoë ång', 'ÅNGSTRÖM', `SOUGHT-${kind}`, '100%', 'zoe\u0308']) {
      assert.deepEqual(await q(text), [sought], text)
    }
    for (const text of ['100_', 'zoe', `sought-${kind}_`, '%']) {
      assert.equal((await q(text)).includes(sought), text === '%', text)
    }
    const both = `Found-${kind}`
    assert.deepEqual(await q(both), [id])
    await call('PATCH', `/users/${sought}`, { body: { name: 'Renamed' } })
    assert.deepEqual(await q('ångström'), [])
    assert.deepEqual(await q('RENAMED'), [sought])
    assert.ok((await q('')).length > 1)
    await refused('GET', `/users?q=${'x'.repeat(201)}`, {}, ['q'])
  })
})
