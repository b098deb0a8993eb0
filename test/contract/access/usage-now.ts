// Figures at the moment they are asked for: what consumes quota is as exact as the headers.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { promptly, until } from '#test-kit'
import { accessSuite } from './support.ts'

const DAY_MS = 86_400_000

/** Noon of a day of next month. */
function nextMonth(day: number): number {
  const now = new Date()
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, day, 12)
}

export const usageNow = accessSuite(
  'usage at once',
  ({ server, call, data, createPlan, createUser, issueKey }) => {
    const keyOf = async (plan: object) => issueKey({ plan_id: (await createPlan(plan)).id })
    const moveTo = (atMs: number) => server().setClockOffset(atMs - Date.now())
    after(() => server().setClockOffset(0))

    async function figuresOf(key: string) {
      const { today, month, remaining } = await data('GET', '/usage', { key })
      return { today, month, remaining }
    }

    test('access finding 4: right after an answer the figures agree with its headers', async () => {
      const { key } = await keyOf({ requests_per_month: 6, requests_per_minute: 1_000 })
      assert.deepEqual(await figuresOf(key), { today: 0, month: 0, remaining: 6 })
      for (let served = 1; served <= 6; served++) {
        const { headers } = await call('GET', '/plans', { key })
        const remaining = Number(headers.get('x-ratelimit-remaining'))
        assert.equal(remaining, 6 - served)
        assert.deepEqual(await figuresOf(key), { today: served, month: served, remaining })
      }
      assert.equal((await call('GET', '/plans', { key })).status, 429)
      assert.deepEqual(await figuresOf(key), { today: 6, month: 6, remaining: 0 })
    })

    test('access finding 4: a sign-in sees all own keys at once, and a day ends at midnight', async () => {
      await moveTo(nextMonth(15))
      const password = 'correct horse battery'
      const user = await createUser('figures@example.com', { password })
      const plan = await createPlan({ requests_per_month: 100, requests_per_minute: 1_000 })
      const keys: string[] = []
      for (const _ of [1, 2]) {
        keys.push((await issueKey({ user_id: user.id, plan_id: plan.id })).key)
      }
      const body = { email: 'figures@example.com', password }
      const { headers } = await call('POST', '/sign-in', { key: null, body })
      const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
      const seen = async () => {
        const figures = await data('GET', '/usage', { key: null, headers: { cookie } })
        return [figures.today, figures.month, figures.remaining]
      }
      for (const key of keys) {
        for (const _ of [1, 2, 3]) assert.equal((await call('GET', '/plans', { key })).status, 200)
      }
      assert.deepEqual(await seen(), [6, 6, 194])
      await moveTo(nextMonth(15) + DAY_MS)
      assert.deepEqual(await seen(), [0, 6, 194])
      assert.equal((await call('GET', '/plans', { key: keys[0] ?? '' })).status, 200)
      assert.deepEqual(await seen(), [1, 7, 193])
      await server().setClockOffset(0)
    })

    test('access 8: an admin sees a plan and the whole installation; others do not', async () => {
      const plan = await createPlan({ requests_per_month: 50, requests_per_minute: 1_000 })
      const scope = `/usage?scope=plan&plan_id=${plan.id}`
      assert.equal((await data('GET', scope)).month, 0)
      const keys: string[] = []
      for (const name of ['one', 'two', 'three']) {
        const user = await createUser(`${name}-of-plan@example.com`)
        keys.push((await issueKey({ user_id: user.id, plan_id: plan.id })).key)
      }
      for (const key of keys) assert.equal((await call('GET', '/plans', { key })).status, 200)
      const { today, month, monthLimit, remaining, minuteLimit } = await data('GET', scope)
      assert.deepEqual([today, month, monthLimit, remaining, minuteLimit], [3, 3, 150, 147, 3_000])
      const before = (await data('GET', '/usage?scope=all')).month
      assert.ok(before >= 3)
      for (const key of keys) await call('GET', '/plans', { key })
      const isThere = async () => (await data('GET', '/usage?scope=all')).month >= before + 3
      await promptly(2_000, isThere)

      const [key = ''] = keys
      for (const query of ['scope=all', `scope=plan&plan_id=${plan.id}`]) {
        const refused = await call('GET', `/usage?${query}`, { key })
        assert.deepEqual([refused.status, refused.body.error.required], [403, 'admin'])
      }
      for (const [query, name] of [
        ['scope=mine', 'scope'],
        ['scope=plan', 'plan_id'],
        [`plan_id=${plan.id}`, 'plan_id'],
        ['scope=all&plan_id=1', 'plan_id'],
        ['scope=all&key_id=1', 'key_id'],
        ['scope=plan&plan_id=1&user_id=1', 'user_id'],
        ['scope=plan&plan_id=x', 'plan_id'],
      ] as const) {
        const { status, body } = await call('GET', `/usage?${query}`)
        assert.equal(status, 400, query)
        assert.match(body.error.message, new RegExp(`\\b${name}\\b`), query)
      }
      const unknown = await call('GET', '/usage?scope=plan&plan_id=99999999')
      assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'plan_not_found'])
    })

    test('access 20: a plan changed in the middle of a month makes two lines that add up to the cent', async () => {
      await moveTo(nextMonth(1))
      const first = await createPlan({ name: 'First', price_monthly: 19.99 })
      const second = await createPlan({ name: 'Second', price_monthly: '49.01' })
      const user = await createUser('currencies@example.com')
      const { id, key } = await issueKey({ user_id: user.id, plan_id: first.id })
      await moveTo(nextMonth(11))
      await call('PATCH', `/keys/${id}`, { body: { plan_id: second.id } })
      await moveTo(nextMonth(20))
      const start = new Date(nextMonth(1)).toISOString().slice(0, 8)
      const days = (Date.UTC(...nextTwo()) - Date.parse(`${start}01T00:00:00Z`)) / DAY_MS
      const invoice = await data('GET', '/usage/invoice', { key })
      const shown = invoice.lines.map((line: Record<string, unknown>) => [
        ...[line['plan'], line['days'], line['from'], line['amount']],
      ])
      const amounts = [cents((1_999 * 10) / days), 0]
      amounts[1] = cents((1_999 * 10 + 4_901 * (days - 10)) / days) - (amounts[0] ?? 0)
      assert.deepEqual(shown, [
        ['First', 10, `${start}01T00:00:00.000Z`, (amounts[0] ?? 0) / 100],
        ['Second', days - 10, `${start}11T00:00:00.000Z`, (amounts[1] ?? 0) / 100],
      ])
      assert.equal(cents(invoice.total * 100), (amounts[0] ?? 0) + (amounts[1] ?? 0))

      await moveTo(nextMonth(20) + 25 * DAY_MS)
      for (const _ of [1, 2]) await call('GET', '/plans', { key })
      await moveTo(nextMonth(20) + 30 * DAY_MS)
      await call('PATCH', `/plans/${second.id}`, { body: { price_monthly: 90, currency: 'EUR' } })
      const { lines } = await data('GET', `/usage/invoice?month=${start.slice(0, 7)}`, { key })
      assert.deepEqual(lines, invoice.lines, 'a later price leaves the invoice as it was')
      const mixed = await call('GET', '/usage/invoice', { key })
      assert.deepEqual([mixed.status, mixed.body.error.code], [422, 'several_currencies'])
      await call('GET', '/plans', { key })
      await until(
        async () => {
          const { body: all } = await call('GET', '/usage/invoices')
          const own = all.data.filter((bill: { user_id: number }) => bill.user_id === user.id)
          const served = own.map((bill: Record<string, unknown>) => [
            bill['currency'],
            bill['requests'],
          ])
          return isDeepStrictEqual(Object.fromEntries(served), { USD: 2, EUR: 1 })
        },
        { what: 'each request in the currency of its day' },
      )
      const euros = await data('GET', '/usage/invoice?currency=EUR', { key })
      assert.deepEqual([euros.currency, euros.lines.length], ['EUR', 1])
      await server().setClockOffset(0)
    })

    test('contract item: a key that ends later leaves the invoices of the months in which it worked as they were', async () => {
      const plan = await createPlan({ name: 'Ending', price_monthly: 10 })
      const user = await createUser('ending@example.com')
      const bodies = [{}, { expires_at: new Date(nextMonth(9)).toISOString() }]
      const keys = []
      for (const body of bodies) {
        keys.push(await issueKey({ user_id: user.id, plan_id: plan.id, ...body }))
      }
      await moveTo(nextMonth(10))
      await call('DELETE', `/keys/${keys[0]?.id}`)
      await moveTo(nextMonth(10) + 31 * DAY_MS)
      const totals = []
      for (const month of [0, 1, 2]) {
        const of = new Date(nextMonth(1))
        of.setUTCMonth(of.getUTCMonth() + month - 1)
        const query = `user_id=${user.id}&month=${of.toISOString().slice(0, 7)}`
        totals.push((await data('GET', `/usage/invoice?${query}`)).total)
      }
      await server().setClockOffset(0)
      assert.deepEqual(totals, [20, 20, 0])
    })
  },
)

function nextTwo(): [number, number] {
  const now = new Date()
  return [now.getUTCFullYear(), now.getUTCMonth() + 2]
}

function cents(amount: number): number {
  return Math.round(amount)
}
