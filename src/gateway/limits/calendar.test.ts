import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CalendarUnit, createCalendar, timeZoneFault } from './calendar.ts'

function endOf(unit: CalendarUnit, zone: string, at: string): string {
  return new Date(createCalendar(unit, zone).endOf(Date.parse(at))).toISOString()
}

test('gateway 23: a calendar window ends where the clock of its time zone says', () => {
  const cases: [CalendarUnit, string, string, string][] = [
    ['minute', 'UTC', '2026-11-16T10:20:59.999Z', '2026-11-16T10:21:00.000Z'],
    ['hour', 'Asia/Kolkata', '2026-11-16T10:20:00Z', '2026-11-16T10:30:00.000Z'],
    ['day', 'UTC', '2026-12-31T23:59:59Z', '2027-01-01T00:00:00.000Z'],
    ['day', 'America/New_York', '2026-11-16T03:00:00Z', '2026-11-16T05:00:00.000Z'],
    ['month', 'Europe/Berlin', '2026-11-16T10:00:00Z', '2026-11-30T23:00:00.000Z'],
    ['month', 'Asia/Tokyo', '2028-02-29T10:00:00Z', '2028-02-29T15:00:00.000Z'],
  ]
  for (const [unit, zone, at, end] of cases)
    assert.equal(endOf(unit, zone, at), end, `${zone} ${at}`)
})

test('gateway 23: days on which clocks are put forward or back have 23 and 25 hours', () => {
  const zone = 'Europe/Berlin'
  assert.equal(endOf('day', zone, '2026-03-28T23:00:00Z'), '2026-03-29T22:00:00.000Z')
  assert.equal(endOf('day', zone, '2026-10-24T22:00:00Z'), '2026-10-25T23:00:00.000Z')
  assert.equal(endOf('month', zone, '2026-03-01T12:00:00Z'), '2026-03-31T22:00:00.000Z')
})

test('gateway 23: one calendar gives all moments of a period the same end, and goes on', () => {
  const { endOf: end } = createCalendar('day', 'Europe/Berlin')
  const first = end(Date.parse('2026-11-16T00:00:00Z'))
  assert.equal(end(first - 1), first)
  assert.equal(end(first), first + 86_400_000)
  assert.equal(end(first - 1), first, 'also when the clock is set back')
})

test('gateway 23: what is no time zone is said to be none', () => {
  assert.equal(timeZoneFault('Europe/Berlin'), null)
  for (const zone of ['Mars/Olympus', '', '__proto__']) assert.ok(timeZoneFault(zone), zone)
})
