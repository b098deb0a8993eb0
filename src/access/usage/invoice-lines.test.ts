import assert from 'node:assert/strict'
import { test } from 'node:test'
import { billMonth } from './invoice-lines.ts'
import { DAY_MS } from './periods.ts'

const APRIL = Date.UTC(2026, 3)
const MAY = Date.UTC(2026, 4)
const at = (day: number, hour = 12) => APRIL + (day - 1) * DAY_MS + hour * 3_600_000
const plan = (id: number, priceCents: number, currency = 'USD') => {
  return { id, name: `Plan ${id}`, priceCents, currency }
}
const present = { plan: plan(2, 4_900), createdAtMs: 0 }
const NOTHING = { plans: [], prices: [] }

function shown(...[key, past]: [Parameters<typeof billMonth>[0], Parameters<typeof billMonth>[1]]) {
  return billMonth(key, past, APRIL, MAY).map((time) => [time.plan.id, time.days, time.cents])
}

test('access 20: without a change a month is one line of the whole price', () => {
  assert.deepEqual(shown(present, NOTHING), [[2, 30, 4_900]])
})

test('access 20: a change in the middle makes two lines, and its day belongs to the new plan', () => {
  const plans = [{ keyId: 1, plan: plan(1, 1_900), untilMs: at(11) }]
  const lines = billMonth(present, { plans, prices: [] }, APRIL, MAY)
  assert.deepEqual(
    lines.map(({ plan, days, cents }) => [plan.id, days, cents]),
    [
      [1, 10, 633],
      [2, 20, 3_267],
    ],
  )
  assert.equal(lines[0]?.toMs, Date.UTC(2026, 3, 11))
  assert.equal(lines[1]?.fromMs, Date.UTC(2026, 3, 11))
})

test('access 20: lines of one price add up to that price, however often the plan changed', () => {
  for (const price of [1, 10, 1_999, 9_999_999_999]) {
    const plans = [3, 9, 10, 17, 28].map((day, index) => {
      return { keyId: 1, plan: plan(index + 10, price), untilMs: at(day) }
    })
    const lines = billMonth({ ...present, plan: plan(2, price) }, { plans, prices: [] }, APRIL, MAY)
    assert.equal(lines.length, 6)
    assert.equal(
      lines.reduce((sum, { cents }) => sum + cents, 0),
      price,
    )
  }
})

test('access 20: of several changes on a day the last one counts, and there and back is no change', () => {
  const there = { keyId: 1, plan: plan(2, 4_900), untilMs: at(5, 8) }
  const back = { keyId: 1, plan: plan(1, 1_900), untilMs: at(5, 9) }
  assert.deepEqual(shown(present, { plans: [there, back], prices: [] }), [[2, 30, 4_900]])
})

test('access 20: a change at the first instant of the month leaves nothing of the former plan', () => {
  const plans = [{ keyId: 1, plan: plan(1, 1_900), untilMs: APRIL }]
  assert.deepEqual(shown(present, { plans, prices: [] }), [[2, 30, 4_900]])
})

test('access 20: a key that changes on the day it is made never had the former plan', () => {
  const plans = [{ keyId: 1, plan: plan(1, 1_900), untilMs: at(20, 15) }]
  const key = { ...present, createdAtMs: at(20, 10) }
  assert.deepEqual(shown(key, { plans, prices: [] }), [[2, 30, 4_900]])
})

test('access 20: another price of the plan splits the month too, each currency by itself', () => {
  const prices = [{ planId: 2, priceCents: 1_000, currency: 'EUR', untilMs: at(16) }]
  assert.deepEqual(shown(present, { plans: [], prices }), [
    [2, 15, 500],
    [2, 15, 2_450],
  ])
})
