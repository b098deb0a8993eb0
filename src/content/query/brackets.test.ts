import assert from 'node:assert/strict'
import { test } from 'node:test'
import qs from 'qs'
import { splitBrackets } from './brackets.ts'
import { Slot } from './slot.ts'
import type { Slots } from './templates.ts'

const REFUSALS = {
  forbidden: (name: string) => new Error(`forbidden ${name}`),
  tooLarge: (message: string) => new Error(`too large: ${message}`),
}
const OPTIONS = {
  ...{ depth: 20, strictDepth: true, arrayLimit: 101, parameterLimit: 1_000 },
  ...{ throwOnLimitExceeded: true, plainObjects: true },
}

const NAMES = [
  'a',
  'a[b]',
  'a[]',
  'a[0]',
  'a[1]',
  'a[b][c]',
  'b',
  'a[b][]',
  '[c]',
  'a=x]',
  'a[',
  '',
]
const TEXTS = ['', '1', 'x', 'b', '0', '%5B', 'x%5D=y', '%', '%E0%A4%A', 'x+y', '%00', '[c]', 'a=b']

/** A pseudo-random walk through all of them, the same each time. */
function* queries(count: number): Generator<string> {
  let seed = 7
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed % below
  }
  for (let n = 0; n < count; n++) {
    const pairs = Array.from({ length: 1 + next(4) }, () => {
      const name = NAMES[next(NAMES.length)] ?? ''
      return next(8) === 0 ? name : `${name}=${TEXTS[next(TEXTS.length)] ?? ''}`
    })
    yield pairs.join('&')
  }
}

function given(values: readonly string[]): Slots {
  const slot = (at: number) => new Slot(() => values[at] ?? '')
  return { text: slot, whole: (at) => slot(at).map(Number), list: () => new Slot(() => []) }
}

/** As JSON, because only what it says counts. */
function said(nest: () => unknown): string {
  try {
    return JSON.stringify(nest())
  } catch (error) {
    return `refused ${error instanceof Error ? error.message : ''}`
  }
}

test('whatever is a value, a query says what qs reads in it', () => {
  for (const text of queries(20_000)) {
    const expected = said(() => qs.parse(text, OPTIONS)).replace(
      /^refused (?=.)/,
      'refused too large: ',
    )
    for (const isValue of [() => true, () => false, (name: string) => name.length > 2]) {
      const { values, nest } = splitBrackets(text, isValue, REFUSALS)
      assert.equal(
        said(() => Slot.within(nest(given(values))).of([])),
        expected,
        text,
      )
      assert.equal(
        said(() => nest()),
        expected,
        text,
      )
    }
  }
})

test('queries with one template differ in values alone', () => {
  const byTemplate = new Map<string, string>()
  for (const text of queries(20_000)) {
    const { template, values, nest } = splitBrackets(text, () => true, REFUSALS)
    // The same values in the place of its own.
    const same = values.map((_, at) => `v${at}`)
    const nested = said(() => Slot.within(nest(given(same))).of([]))
    const known = byTemplate.get(template)
    if (known !== undefined) assert.equal(nested, known, text)
    byTemplate.set(template, nested)
  }
})
