import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ADMIN_KEY, beginMinute, promptly } from '#test-kit'
import { accessSuite, caller, pairSuite } from './support.ts'

export const settings = accessSuite('settings', ({ server, call, data }) => {
  test('access 21: a stored value wins, null drops it, the origin tells', async () => {
    const before = await data('GET', '/settings/limits')
    assert.deepEqual(before.anonymous_per_minute, { value: 0, origin: 'default' })
    const { maxDepth } = await data('GET', '/settings/content')
    assert.deepEqual(maxDepth, { value: 7, origin: 'environment' })
    const changed = await call('PATCH', '/settings/limits', { body: { anonymous_per_minute: 2 } })
    assert.equal(changed.status, 200)
    assert.deepEqual(changed.body.data.anonymous_per_minute, { value: 2, origin: 'stored' })
    const dropped = await data('PATCH', '/settings/limits', {
      body: { anonymous_per_minute: null },
    })
    assert.deepEqual(dropped.anonymous_per_minute, { value: 0, origin: 'default' })
  })

  test('access finding 10: what is shown masked and comes back keeps what is stored', async () => {
    const key = 'a key for previews'
    const shown = async (area: string) => {
      const described: Record<string, { value: unknown }> = await data('GET', `/settings/${area}`)
      return Object.fromEntries(Object.entries(described).map(([name, { value }]) => [name, value]))
    }
    const back = async (area: string, change: object = {}) =>
      call('PATCH', `/settings/${area}`, { body: { ...(await shown(area)), ...change } })
    const isPreviewed = async (key: string) => {
      const headers = { 'api-key': key, preview: 'true' }
      const answer = await fetch(`${server().url}/cms/delivery/api/v2/content`, { headers })
      return answer.status === 200
    }

    const refused = await call('PATCH', '/settings/delivery', { body: { ApiKey: '***' } })
    assert.deepEqual([refused.status, refused.body.error.details[0].code], [400, 'masked'])
    await call('PATCH', '/settings/delivery', { body: { ApiKey: key } })
    assert.equal((await shown('delivery'))['ApiKey'], '***')
    assert.equal(await isPreviewed(key), true)
    assert.equal((await back('delivery', { MaxTake: 500 })).status, 200)
    assert.equal((await shown('delivery'))['MaxTake'], 500)
    assert.equal(await isPreviewed(key), true)
    assert.equal(await isPreviewed('***'), false)
    const names = Object.keys(await shown('delivery'))
    const nothing = Object.fromEntries(names.map((name) => [name, null]))
    await call('PATCH', '/settings/delivery', { body: nothing })

    const url = 'smtp://ann:secret@mail.example.org:2525'
    await call('PATCH', '/settings/webhooks', { body: { smtp_url: url } })
    const masked = 'smtp://ann:***@mail.example.org:2525'
    assert.equal((await shown('webhooks'))['smtp_url'], masked)
    assert.equal((await back('webhooks', { disable_after: 99 })).status, 200)
    assert.equal((await shown('webhooks'))['smtp_url'], masked)
    const elsewhere = { smtp_url: 'smtp://ann:***@evil.example.org' }
    assert.equal((await back('webhooks', elsewhere)).status, 400, 'the password goes nowhere else')
    assert.equal((await call('GET', '/settings/webhooks')).body.data.disable_after.value, 99)
    const all = Object.keys(await shown('webhooks'))
    const dropped = Object.fromEntries(all.map((name) => [name, null]))
    assert.equal((await call('PATCH', '/settings/webhooks', { body: dropped })).status, 200)
  })

  test('access 21: a time is at most a century, so that what ends with it can be stored and read', async () => {
    const most = { rotation_window_seconds: 3_153_600_000, retention_days: 36_500 }
    const taken = await call('PATCH', '/settings/webhooks', { body: most })
    const { url } = server()
    const headers = { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json' }
    const send = async (path: string, body: object) =>
      fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const endpoint = { endpoint_url: 'https://example.org/hook', events: ['order.created'] }
    const made = await send('/webhooks/subscriptions', { ...endpoint, is_active: false })
    const path = made.headers.get('location')
    const rotated = await send(`${path}/rotate-secret`, {})
    const shown = await fetch(`${url}${path}`, { headers })
    assert.deepEqual([taken.status, rotated.status, shown.status], [200, 200, 200])
    for (const [name, value] of Object.entries(most)) {
      const refused = await call('PATCH', '/settings/webhooks', { body: { [name]: value + 1 } })
      assert.equal(refused.status, 400, name)
    }
    const body = { rotation_window_seconds: null, retention_days: null }
    assert.equal((await call('PATCH', '/settings/webhooks', { body })).status, 200)
  })

  test('access 21: unknown members and values are 400, unknown areas 404', async () => {
    for (const [body, name] of [
      [{ anonymous_per_hour: 2 }, 'anonymous_per_hour'],
      [{ anonymous_per_minute: 'two' }, 'anonymous_per_minute'],
      [{ anonymous_per_minute: -1 }, 'anonymous_per_minute'],
      [{ constructor: 1 }, 'constructor'],
    ] as const) {
      const refused = await call('PATCH', '/settings/limits', { body })
      assert.equal(refused.status, 400)
      assert.equal(refused.body.error.details[0].field, name)
    }
    for (const area of ['nothing', 'admin', '__proto__']) {
      assert.equal((await call('GET', `/settings/${area}`)).status, 404, area)
      assert.equal((await call('PATCH', `/settings/${area}`, { body: {} })).status, 404, area)
    }
    for (const area of ['delivery', 'content', 'limits', 'webhooks', 'scrapers']) {
      assert.equal((await call('GET', `/settings/${area}`)).status, 200, area)
    }
  })
})

export const settingsOfPair = pairSuite('settings of two nodes', (here, there) => {
  const { call, data, issueKey } = caller(() => here().url)
  const elsewhere = caller(() => there().url)
  const WITHIN_A_SECOND = 1_000

  after(async () => {
    await call('PATCH', '/settings/limits', { body: { anonymous_per_minute: null } })
  })

  test('access 21: the third anonymous read in a minute is 429, through a second node too', async (t) => {
    const read = (url: string) => fetch(`${url}/api/v1/openapi.json`)
    for (let n = 0; n < 5; n++) assert.equal((await read(here().url)).status, 200)

    await call('PATCH', '/settings/limits', { body: { anonymous_per_minute: 2 } })
    await beginMinute(t, here(), there())
    assert.equal((await read(here().url)).status, 200)
    assert.equal((await read(here().url)).status, 200)
    const refused = await read(here().url)
    assert.equal(refused.status, 429)
    assert.match(await refused.text(), /"code":"rate_limit_exceeded"/)
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    await promptly(WITHIN_A_SECOND, async () => (await read(there().url)).status === 429)
    const withKey = await fetch(`${here().url}/api/v1/openapi.json`, {
      headers: { 'x-api-key': ADMIN_KEY },
    })
    assert.equal(withKey.status, 200)
  })

  test('access 21: another node follows within a second, for settings and for keys', async () => {
    await call('PATCH', '/settings/limits', { body: { anonymous_per_minute: 7 } })
    await promptly(
      WITHIN_A_SECOND,
      async () =>
        (await elsewhere.data('GET', '/settings/limits')).anonymous_per_minute.value === 7,
    )

    const user = await data('POST', '/users', { body: { email: 'n@example.com' } })
    const { id, key } = await issueKey({ user_id: user.id })
    assert.equal((await elsewhere.call('GET', '/plans', { key })).status, 200)
    const plan = await data('GET', `/keys/${id}`)
    await call('PATCH', `/plans/${plan.plan_id}`, { body: { endpoints: [] } })
    assert.equal((await call('GET', '/plans', { key })).status, 403)
    const codeThere = async () => {
      const { body } = await elsewhere.call('GET', '/plans', { key })
      return body.code ?? body.error?.code
    }
    await promptly(WITHIN_A_SECOND, async () => (await codeThere()) === 'endpoint_not_allowed')
    await call('PATCH', `/users/${user.id}`, { body: { status: 'disabled' } })
    await promptly(WITHIN_A_SECOND, async () => (await codeThere()) === 'user_disabled')
    await call('DELETE', `/keys/${id}`)
    assert.equal((await call('GET', '/plans', { key })).body.code, 'key_revoked')
    await promptly(WITHIN_A_SECOND, async () => (await codeThere()) === 'key_revoked')
  })
})
