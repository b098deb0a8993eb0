import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MovableClock } from '../../src/kernel/clock.ts'
import type { CounterStep, Counters, Seed, Window } from '../../src/kernel/counters/port.ts'

export interface StoreUnderTest {
  readonly counters: Counters
  /** Moves the time of the store. */
  readonly clock: MovableClock
}

const MINUTE: Window = { kind: 'calendar', unit: 'minute' }
const HOUR: Window = { kind: 'calendar', unit: 'hour' }
const DAY: Window = { kind: 'calendar', unit: 'day' }
const MONTH: Window = { kind: 'calendar', unit: 'month' }
const TEN_SECONDS: Window = { kind: 'fixed', ms: 10_000 }

/**
 * What every store of counters promises. A test file opens all its stores before it defines the
 * first suite, else the runner may take it for finished and close what is still to be used.
 */
export function countersSuite(name: string, { counters, clock }: StoreUnderTest): void {
  let lastName = 0
  const use = (): Use => ({
    counters,
    name: `counter ${++lastName}`,
    at: (iso) => clock.setOffset(Date.parse(iso) - Date.now()),
    add: (steps) => counters.add(steps),
  })
  describe(`counters in ${name}`, () => {
    windowTests(use)
    limitTests(use)
    severalStepsTests(use)
    seedingTests(use)
    valueTests(use)
    parallelTests(use)
  })
}

interface Use {
  readonly counters: Counters
  /** Of a counter that nobody used yet. */
  readonly name: string
  at(iso: string): void
  add(steps: CounterStep[]): ReturnType<Counters['add']>
}

function step(name: string, window: Window, rest: Partial<CounterStep> = {}): CounterStep {
  return { name, window, amount: 1, limit: null, ...rest }
}

function seedOf(name: string, window: Window, value: number, epoch = 1): Seed {
  return { name, window, value, epoch }
}

function windowTests(use: () => Use): void {
  const CALENDAR: [Window, string, string][] = [
    [MINUTE, '2026-03-04T11:59:50Z', '2026-03-04T12:00:00Z'],
    [HOUR, '2026-03-04T11:59:50Z', '2026-03-04T12:00:00Z'],
    [HOUR, '2026-03-04T22:30:00Z', '2026-03-04T23:00:00Z'],
    [DAY, '2026-12-31T23:59:50Z', '2027-01-01T00:00:00Z'],
    [MONTH, '2026-12-31T23:59:50Z', '2027-01-01T00:00:00Z'],
    [MONTH, '2027-01-01T00:00:00Z', '2027-02-01T00:00:00Z'],
    [MONTH, '2027-02-28T23:59:50Z', '2027-03-01T00:00:00Z'],
    [MONTH, '2028-02-28T23:59:58Z', '2028-03-01T00:00:00Z'],
    [MONTH, '2028-02-29T23:59:50Z', '2028-03-01T00:00:00Z'],
    [MONTH, '2028-03-01T00:00:00Z', '2028-04-01T00:00:00Z'],
    [MONTH, '2100-02-28T23:59:50Z', '2100-03-01T00:00:00Z'],
    ...Array.from({ length: 11 }, (_, month): [Window, string, string] => {
      const [start, end] = [month, month + 1].map((m) => new Date(Date.UTC(2026, m)).toISOString())
      return [MONTH, String(start), String(end)]
    }),
  ]
  test('a calendar window ends with its unit in UTC, also on 29 February and 31 December', async () => {
    for (const [window, from, end] of CALENDAR) {
      const { name, add, at } = use()
      at(from)
      const first = await add([step(name, window)])
      assert.equal(first.results[0]?.endsAtMs, Date.parse(end), `${from}: ${first.nowMs}`)
      assert.equal((await add([step(name, window)])).results[0]?.value, 2)
      at(end)
      const next = await add([step(name, window)])
      assert.equal(next.results[0]?.value, 1, `a new window starts at ${end}`)
    }
  })

  test('a fixed window starts with the first add and is not prolonged by others', async () => {
    const { name, add, at, counters } = use()
    at('2026-03-04T12:00:07Z')
    const first = await add([step(name, TEN_SECONDS)])
    assert.equal(first.results[0]?.endsAtMs, first.nowMs + 10_000)
    at('2026-03-04T12:00:16Z')
    const second = await add([step(name, TEN_SECONDS)])
    assert.deepEqual(
      second.results.map(({ value, endsAtMs }) => [value, endsAtMs]),
      [[2, first.nowMs + 10_000]],
    )
    at('2026-03-04T12:00:18Z')
    assert.equal(await counters.read(name, TEN_SECONDS), undefined)
    assert.equal((await add([step(name, TEN_SECONDS)])).results[0]?.value, 1)
  })

  test('a clock that is set back by seconds does not reopen a window that has ended', async () => {
    const { name, add, at } = use()
    at('2026-03-04T12:00:01Z')
    await add([step(name, MINUTE, { amount: 5 })])
    at('2026-03-04T11:59:58Z')
    const { results } = await add([step(name, MINUTE)])
    assert.equal(results[0]?.value, 6)
    assert.equal(results[0]?.endsAtMs, Date.parse('2026-03-04T12:01:00Z'))
  })

  test('a count cannot be read after its window', async () => {
    const { name, add, at, counters } = use()
    at('2026-03-04T12:00:10Z')
    assert.equal(await counters.read(name, MINUTE), undefined)
    await add([step(name, MINUTE, { amount: 3 })])
    assert.equal(await counters.read(name, MINUTE), 3)
    at('2026-03-04T12:01:10Z')
    assert.equal(await counters.read(name, MINUTE), undefined)
  })
}

function limitTests(use: () => Use): void {
  test('exactly the limit passes, and a refused add leaves no trace', async () => {
    const { name, add, at } = use()
    at('2026-03-04T12:00:10Z')
    for (let value = 1; value <= 3; value++) {
      const { allowed, results } = await add([step(name, MINUTE, { limit: 3 })])
      assert.deepEqual([allowed, results[0]?.allowed, results[0]?.value], [true, true, value])
    }
    const refused = await add([step(name, MINUTE, { limit: 3 })])
    assert.deepEqual([refused.allowed, refused.missing], [false, null])
    assert.deepEqual([refused.results[0]?.allowed, refused.results[0]?.value], [false, 3])
    assert.equal((await add([step(name, MINUTE, { limit: 4 })])).results[0]?.value, 4)
  })

  test('a refused first add does not even create the counter', async () => {
    const { name, add, counters } = use()
    const refused = await add([step(name, MONTH, { amount: 5, limit: 4 })])
    assert.deepEqual([refused.allowed, refused.results[0]?.value], [false, 0])
    assert.equal(await counters.read(name, MONTH), undefined)
  })

  test('an amount that does not fit is refused whole, a smaller one still passes', async () => {
    const { name, add } = use()
    await add([step(name, MONTH, { amount: 8, limit: 10 })])
    assert.equal((await add([step(name, MONTH, { amount: 3, limit: 10 })])).allowed, false)
    assert.equal((await add([step(name, MONTH, { amount: 2, limit: 10 })])).results[0]?.value, 10)
    assert.equal((await add([step(name, MONTH, { amount: 0, limit: 10 })])).allowed, true)
    assert.equal((await add([step(name, MONTH, { amount: 0, limit: 9 })])).allowed, false)
  })

  test('with keepRefused a refused add stays counted', async () => {
    const { name, add, counters } = use()
    const minute = step(name, MONTH, { limit: 2, keepRefused: true })
    const values = []
    for (let round = 0; round < 4; round++) values.push((await add([minute])).results[0]?.value)
    assert.deepEqual(values, [1, 2, 3, 4])
    assert.equal(await counters.read(name, MONTH), 4)
  })
}

function severalStepsTests(use: () => Use): void {
  test('the first refusal ends the steps: a full minute adds nothing to the month', async () => {
    const { name, add, at, counters } = use()
    at('2026-03-04T12:00:10Z')
    const steps = [
      step(`${name} minute`, MINUTE, { limit: 1, keepRefused: true }),
      step(`${name} month`, MONTH, { limit: 10, amount: 2 }),
    ]
    const first = await add(steps)
    assert.deepEqual(
      first.results.map(({ name: of, value }) => [of, value]),
      [
        [`${name} minute`, 1],
        [`${name} month`, 2],
      ],
    )
    const second = await add(steps)
    assert.equal(second.allowed, false)
    assert.deepEqual(
      second.results.map(({ allowed, value }) => [allowed, value]),
      [[false, 2]],
    )
    assert.equal(await counters.read(`${name} month`, MONTH), 2)
  })

  test('when the month refuses, the minute keeps it only with keepRefused', async () => {
    for (const keepRefused of [true, false]) {
      const { name, add, counters } = use()
      const { allowed, results } = await add([
        step(`${name} first`, MONTH, { limit: 5, keepRefused }),
        step(`${name} second`, MONTH, { limit: 3, amount: 4 }),
        step(`${name} third`, MONTH),
      ])
      assert.equal(allowed, false)
      assert.deepEqual(
        results.map((result) => [result.allowed, result.value]),
        [
          [true, keepRefused ? 1 : 0],
          [false, 0],
        ],
      )
      assert.equal(await counters.read(`${name} first`, MONTH), keepRefused ? 1 : undefined)
      assert.equal(await counters.read(`${name} second`, MONTH), undefined)
      assert.equal(await counters.read(`${name} third`, MONTH), undefined)
    }
  })

  test('steps of the same counter count one after the other', async () => {
    const { name, add, counters } = use()
    const settle = step(name, MONTH, { amount: 7, keepRefused: true })
    const passed = await add([settle, step(name, MONTH, { limit: 8 })])
    assert.deepEqual([passed.allowed, passed.results[1]?.value], [true, 8])
    const refused = await add([settle, step(name, MONTH, { limit: 15 })])
    assert.equal(refused.allowed, false)
    assert.equal(await counters.read(name, MONTH), 15)
  })

  test('many counters in one add, and none at all', async () => {
    const { name, add, counters } = use()
    const names = Array.from({ length: 20 }, (_, index) => `${name} ${index}`)
    const { results } = await add(names.map((each, index) => step(each, MONTH, { amount: index })))
    assert.deepEqual(
      results.map(({ value }) => value),
      names.map((_, index) => index),
    )
    assert.equal(await counters.read(`${name} 19`, MONTH), 19)
    const none = await add([])
    assert.deepEqual([none.results, none.allowed, none.missing], [[], true, null])
  })
}

function seedingTests(use: () => Use): void {
  test('a seeded counter that is absent is reported, and nothing is added anywhere', async () => {
    const { name, add, counters } = use()
    const steps = [
      step(`${name} minute`, MONTH, { limit: 9, keepRefused: true }),
      step(`${name} month`, MONTH, { limit: 9, seeded: true }),
    ]
    const unseeded = await add(steps)
    assert.deepEqual([unseeded.allowed, unseeded.missing], [false, `${name} month`])
    assert.deepEqual(unseeded.results, [])
    assert.equal(await counters.read(`${name} minute`, MONTH), undefined)
    assert.equal(await counters.read(`${name} month`, MONTH), undefined)

    await counters.seed([seedOf(`${name} month`, MONTH, 8)])
    assert.equal((await add(steps)).allowed, true)
    const refused = await add(steps)
    assert.deepEqual(
      refused.results.map(({ allowed, value }) => [allowed, value]),
      [
        [true, 2],
        [false, 9],
      ],
    )
  })

  test('a seed of the last window does not serve the next', async () => {
    const { name, add, at, counters } = use()
    at('2026-03-31T23:59:30Z')
    await counters.seed([seedOf(name, MONTH, 8)])
    at('2026-04-01T00:00:30Z')
    assert.equal((await add([step(name, MONTH, { seeded: true })])).missing, name)
  })

  test('seeding many times at once leaves the first value and later adds alone', async () => {
    const { name, add, counters } = use()
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        await counters.seed([seedOf(name, MONTH, 100)])
        await add([step(name, MONTH, { seeded: true })])
      }),
    )
    assert.equal(await counters.read(name, MONTH), 120)
    await counters.seed([seedOf(name, MONTH, 7, 2)])
    assert.equal(await counters.read(name, MONTH), 7)
  })

  test('a seed of a later epoch begins anew, one of an earlier or the same epoch does nothing', async () => {
    const { name, add, counters } = use()
    const other = `${name} other`
    await counters.seed([seedOf(name, MONTH, 5, 3), seedOf(other, MONTH, 6, 1)])
    const { results } = await add([step(name, MONTH, { seeded: true }), step(other, MONTH)])
    assert.deepEqual(
      results.map(({ value, epoch }) => [value, epoch]),
      [
        [6, 3],
        [7, 1],
      ],
    )
    await counters.seed([seedOf(name, MONTH, 50, 3), seedOf(other, MONTH, 60, 2)])
    await counters.seed([seedOf(name, MONTH, 500, 2)])
    assert.equal(await counters.read(name, MONTH), 6)
    assert.equal(await counters.read(other, MONTH), 60)
    await counters.seed([])
  })

  test('a seed that was made for another window does nothing', async () => {
    const { name, at, add, counters } = use()
    at('2026-03-31T23:59:30Z')
    const march = { ...seedOf(name, MONTH, 8), endsAtMs: Date.parse('2026-04-01T00:00:00Z') }
    at('2026-04-01T00:00:30Z')
    await counters.seed([march])
    assert.equal((await add([step(name, MONTH, { seeded: true })])).missing, name)
    at('2026-03-31T23:59:40Z')
    await counters.seed([march])
    assert.equal(await counters.read(name, MONTH), 8)
  })

  test('a count that began at zero is of epoch 0, and a seed replaces it', async () => {
    const { name, add, counters } = use()
    assert.equal((await add([step(name, MONTH)])).results[0]?.epoch, 0)
    await counters.seed([seedOf(name, MONTH, 9)])
    const { results } = await add([step(name, MONTH)])
    assert.deepEqual([results[0]?.value, results[0]?.epoch], [10, 1])
  })

  test('a step that is bound to another epoch changes nothing, and nothing else of its add', async () => {
    const { name, add, counters } = use()
    await counters.seed([seedOf(name, MONTH, 10, 2)])
    const bound = (epoch: number, amount: number) => step(name, MONTH, { epoch, amount })
    const { allowed, results } = await add([bound(1, 5), step(`${name} other`, MONTH)])
    assert.deepEqual([allowed, results.map(({ value }) => value)], [true, [10, 1]])
    assert.equal((await add([bound(2, 5)])).results[0]?.value, 15)
    assert.equal((await add([bound(1, -5)])).results[0]?.value, 15)
    const kept = step(name, MONTH, { epoch: 1, amount: 4, keepRefused: true })
    assert.equal((await add([kept, step(name, MONTH, { limit: 15 })])).allowed, false)
    assert.equal(await counters.read(name, MONTH), 15)
    const unseeded = step(`${name} absent`, MONTH, { epoch: 1, seeded: true })
    assert.equal((await add([unseeded])).missing, `${name} absent`)
  })

  test('setting the count of a fixed window leaves its end alone', async () => {
    const { name, add, at, counters } = use()
    at('2026-03-04T12:00:00Z')
    const first = await add([step(name, TEN_SECONDS)])
    at('2026-03-04T12:00:05Z')
    await counters.seed([seedOf(name, TEN_SECONDS, 40)])
    const next = await add([step(name, TEN_SECONDS)])
    assert.deepEqual(
      [next.results[0]?.value, next.results[0]?.endsAtMs],
      [41, first.results[0]?.endsAtMs],
    )
  })
}

function valueTests(use: () => Use): void {
  test('counts stay exact up to 2^53', async () => {
    const { name, add, counters } = use()
    const most = Number.MAX_SAFE_INTEGER
    await add([step(name, MONTH, { amount: 2 ** 32 + 1 })])
    assert.equal((await add([step(name, MONTH)])).results[0]?.value, 2 ** 32 + 2)
    await counters.seed([seedOf(name, MONTH, most - 2)])
    assert.equal((await add([step(name, MONTH, { limit: most })])).results[0]?.value, most - 1)
    assert.equal(await counters.read(name, MONTH), most - 1)
  })

  test('a negative amount gives back, but never below zero', async () => {
    const { name, add } = use()
    await add([step(name, MONTH, { amount: 5 })])
    assert.equal((await add([step(name, MONTH, { amount: -2 })])).results[0]?.value, 3)
    assert.equal((await add([step(name, MONTH, { amount: -9 })])).results[0]?.value, 0)
    assert.equal((await add([step(name, MONTH)])).results[0]?.value, 1)
  })

  test('any text can be a name', async () => {
    const { name, add, counters } = use()
    const names = ['ü', '\0', ' ', "'; drop", '{a}', 'x'.repeat(9_000), 'x'.repeat(9_001), '\n']
    for (const [index, text] of names.entries()) {
      await add([step(name + text, MONTH, { amount: index + 1 })])
    }
    for (const [index, text] of names.entries()) {
      assert.equal(await counters.read(name + text, MONTH), index + 1)
    }
  })

  test('steps that make no sense are faults of the program', async () => {
    const { name, add, counters } = use()
    await assert.rejects(add([step(name, MONTH, { amount: 0.5 })]), RangeError)
    await assert.rejects(add([step(name, MONTH, { limit: Number.NaN })]), RangeError)
    await assert.rejects(add([step('', MONTH)]), RangeError)
    await assert.rejects(add([step(name, { kind: 'fixed', ms: 0 })]), RangeError)
    await assert.rejects(counters.seed([seedOf(name, MONTH, 2 ** 53)]), RangeError)
    await assert.rejects(counters.seed([seedOf(name, MONTH, 1, 0.5)]), RangeError)
    assert.equal(await counters.read(name, MONTH), undefined)
  })
}

function parallelTests(use: () => Use): void {
  test('of adds at the same time exactly the limit passes', async () => {
    const { name, add, counters } = use()
    const steps = [
      step(`${name} a`, MONTH, { keepRefused: true, limit: 150 }),
      step(`${name} b`, MONTH, { amount: 3, limit: 100 }),
    ]
    // Half of them name the counters in the other order: they must not wait for each other.
    const turned = [step(`${name} b`, MONTH, { amount: 3, limit: 100 }), step(`${name} a`, MONTH)]
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => add(index % 2 ? steps : turned)),
    )
    assert.equal(answers.filter(({ allowed }) => allowed).length, 33)
    assert.equal(await counters.read(`${name} b`, MONTH), 99)
  })

  test('many that ask the same at once get one count each', async () => {
    const { name, add } = use()
    const same = [step(name, MONTH, { amount: 2, limit: 100, keepRefused: true })]
    const answers = await Promise.all(Array.from({ length: 120 }, () => add(same)))
    const values = answers.map(({ results }) => results[0]?.value ?? 0).sort((a, b) => a - b)
    assert.deepEqual(
      values,
      Array.from({ length: 120 }, (_, index) => 2 * index + 2),
    )
    assert.equal(answers.filter(({ allowed }) => allowed).length, 50)
  })
}
