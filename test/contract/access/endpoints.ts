import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { accessSuite, rawCall } from './support.ts'

// The calls are those of the administration itself: content has no routes yet.
export const endpoints = accessSuite('plan endpoints', ({ server, call, issueKey, createPlan }) => {
  const keys = new Map<string, string>()

  before(async () => {
    const lists: Record<string, string[]> = {
      none: [],
      list: ['GET /v1/plans'],
      one: ['GET /v1/plans/*'],
      below: ['GET /v1/plans/**'],
      anyMethod: ['* /v1/plans/{id}'],
      named: ['GET /api/v1/keys/:id'],
    }
    for (const [name, endpoints] of Object.entries(lists)) {
      const plan = await createPlan({ name, endpoints })
      keys.set(name, (await issueKey({ plan_id: plan.id, access: 'admin' })).key)
    }
  })

  const statusOf = async (name: string, method: string, path: string) =>
    (await call(method, path, { key: keys.get(name) ?? '' })).status

  test('access 9: exact, one segment, everything below', async () => {
    assert.equal(await statusOf('none', 'GET', '/plans'), 403)
    assert.equal(await statusOf('list', 'GET', '/plans'), 200)
    assert.equal(await statusOf('list', 'GET', '/plans/1'), 403)
    assert.equal(await statusOf('one', 'GET', '/plans'), 403)
    assert.equal(await statusOf('one', 'GET', '/plans/1'), 200)
    assert.equal(await statusOf('below', 'GET', '/plans'), 200)
    assert.equal(await statusOf('below', 'GET', '/plans/1'), 200)
    assert.equal(await statusOf('below', 'GET', '/users'), 403)
    assert.equal(await statusOf('named', 'GET', '/keys/1'), 200)
  })

  test('access 9: the method counts, HEAD comes with GET, * takes all', async () => {
    assert.equal(await statusOf('list', 'HEAD', '/plans'), 200)
    assert.equal(await statusOf('list', 'POST', '/plans'), 403)
    assert.equal(await statusOf('anyMethod', 'PATCH', '/plans/999999'), 400)
    assert.equal(await statusOf('anyMethod', 'DELETE', '/plans/999999'), 404)
    assert.equal(await statusOf('anyMethod', 'GET', '/plans'), 403)
  })

  test('access 9: the refusal names the call in the object form', async () => {
    const refused = await call('GET', '/users?status=active', { key: keys.get('list') ?? '' })
    assert.deepEqual(refused.body, {
      error: {
        code: 'endpoint_not_allowed',
        message: 'Your plan does not include GET /api/v1/users',
      },
    })
  })

  test('access 9: who am I is outside of every list', async () => {
    assert.equal(await statusOf('none', 'GET', '/me'), 200)
    assert.equal(await statusOf('none', 'POST', '/stream-tickets'), 201)
  })

  test('access 9: no way of writing a path gets past the list, nor is a permitted one refused', async () => {
    const { url } = server()
    const ask = async (name: string, target: string) =>
      (await rawCall(url, 'GET', target, { 'x-api-key': keys.get(name) ?? '' })).status
    for (const target of [
      '/api/v1/users',
      '/api/v1/%75sers',
      '/api/v1/users/',
      '/api/v1/plans/../users',
      '/api/v1/plans/%2e%2e/users',
      '/api/v1/plans/..%2fusers',
      '/api/v1/./users',
      '/api/v1//users',
      '//api/v1/users',
      '/api/v1/users//',
      '/api/v1/users#/plans',
      '/api/v1/users?/plans',
      `${url}/api/v1/users`,
      `http://plans/api/v1/users`,
    ]) {
      assert.ok([403, 404, 400].includes(await ask('below', target)), target)
    }
    for (const target of [
      '/api/v1/plans/1',
      '/api/v1/plans/1/',
      '/api/v1/%70lans/1',
      '/api/v1/plans/%31',
      '/api/v1/plans/1?x=../users',
      `${url}/api/v1/plans/1`,
    ]) {
      assert.equal(await ask('below', target), 200, target)
      assert.equal(await ask('one', target), 200, target)
    }
  })

  test('access 9: a changed list holds from the next request on', async () => {
    const plan = await createPlan({ name: 'Changing', endpoints: ['GET /v1/plans'] })
    const { key } = await issueKey({ plan_id: plan.id })
    assert.equal((await call('GET', '/plans', { key })).status, 200)
    await call('PATCH', `/plans/${plan.id}`, { body: { endpoints: [] } })
    assert.equal((await call('GET', '/plans', { key })).status, 403)
    await call('PATCH', `/plans/${plan.id}`, { body: { endpoints: ['*'] } })
    assert.equal((await call('GET', '/plans', { key })).status, 200)
  })

  test('access 9: a malformed pattern is 400 naming its index', async () => {
    const endpoints = ['GET /v1/articles', 'GET articles', 'FETCH /x', '*']
    const body = { name: 'Bad', requests_per_month: 1, requests_per_minute: 1, endpoints }
    const refused = await call('POST', '/plans', { body })
    assert.equal(refused.status, 400)
    assert.equal(refused.body.error.code, 'validation_error')
    assert.deepEqual(
      refused.body.error.details.map(({ field }: { field: string }) => field),
      ['endpoints.1', 'endpoints.2'],
    )
  })

  test('access finding 19: a plan that sells what everybody may read is made with a warning', async () => {
    const names = { singularName: 'offer', pluralName: 'offers', displayName: 'Offer' }
    const type = { ...names, attributes: { title: { type: 'string' } }, publicRead: true }
    assert.equal((await call('POST', '/content-types', { body: type })).status, 201)
    const figures = { name: 'Offers', requests_per_month: 1, requests_per_minute: 1 }
    const plan = async (method: string, path: string, endpoints: string[]) => {
      const { status, body } = await call(method, path, { body: { ...figures, endpoints } })
      assert.ok(status < 300, JSON.stringify(body))
      return body
    }
    const { data, warnings } = await plan('POST', '/plans', ['GET /v1/offers/**'])
    assert.equal(warnings.length, 1)
    assert.match(warnings[0], /GET \/v1\/offers\/\*\* .*offer.* without a key.*publicRead/)
    const path = `/plans/${data.id}`
    assert.equal((await plan('PUT', path, ['GET /api/offers'])).warnings.length, 1)
    assert.equal((await plan('PATCH', path, ['GET /jsonapi/node/offer'])).warnings.length, 1)
    assert.equal((await plan('PATCH', path, ['*'])).warnings, undefined)
    await call('PATCH', '/content-types/offer', { body: { publicRead: false } })
    assert.equal((await plan('PATCH', path, ['GET /v1/offers'])).warnings, undefined)
    assert.equal((await call('DELETE', '/content-types/offer?force=true')).status, 204)
    assert.equal((await call('DELETE', path)).status, 204)
  })
})
