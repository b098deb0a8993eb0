import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Slot } from './slot.ts'
import { createTemplates, type Question, type Slots } from './templates.ts'

type Read = Slot<string>

const ANYBODY = { level: null }
const READER = { level: 'read' } as const

function create() {
  const made: string[] = []
  const one: object = {}
  let current = one
  const prepare = createTemplates<Read, Read, { readonly no: number }>({
    // Nothing of a model is looked at here but which it is.
    model: () => Object(current),
    make(viewer, read) {
      if (read.look((text) => text === 'bad')) throw new Error('refused')
      made.push(String(viewer.level))
      return { no: made.length }
    },
    sizeOf: () => 100,
  })
  return { made, ask, swap }

  function swap(other: object) {
    current = other
  }

  /** The number of its plan, and the value it is asked with. */
  function ask(template: string, value: string, viewer: { level: null | 'read' } = ANYBODY) {
    const read = (slots: Slots) => {
      const text = slots.text(0)
      return text.look((own) => own.length > 3) ? text.map((own) => `long ${own}`) : text
    }
    const question: Question<Read> = { model: Object(one), template, values: [value], read }
    const prepared = prepare(viewer, question)
    return [prepared.plan.no, prepared.read.of(prepared.values)]
  }
}

test('questions whose values look the same have one plan, and each its own value', () => {
  const { ask, made } = create()
  assert.deepEqual(ask('a', 'x'), [1, 'x'])
  assert.deepEqual(ask('a', 'y'), [1, 'y'])
  assert.deepEqual(ask('a', 'much'), [2, 'long much'])
  assert.deepEqual(ask('a', 'more'), [2, 'long more'])
  assert.deepEqual(ask('a', 'z'), [1, 'z'])
  assert.deepEqual(ask('b', 'z'), [3, 'z'])
  assert.equal(made.length, 3)
})

test('levels share no plan', () => {
  const { ask, made } = create()
  assert.deepEqual(ask('a', 'x'), [1, 'x'])
  assert.deepEqual(ask('a', 'x', READER), [2, 'x'])
  assert.deepEqual(made, ['null', 'read'])
})

test('a refused question is refused each time and spoils no other', () => {
  const { ask } = create()
  for (const value of ['bad', 'x', 'bad', 'y', 'bad']) {
    if (value === 'bad') assert.throws(() => ask('a', value), { message: 'refused' })
    else assert.deepEqual(ask('a', value), [1, value])
  }
})

test('of a model that was swapped on the way nothing is kept', () => {
  const { ask, swap } = create()
  swap({})
  assert.deepEqual(ask('a', 'x'), [1, 'x'])
  assert.deepEqual(ask('a', 'x'), [2, 'x'])
})

test('a flood of templates takes none from those who ask the same again', () => {
  const { ask, made } = create()
  ask('ours', 'x')
  ask('ours', 'y')
  for (let n = 0; n < 5_000; n++) ask(`flood ${n}`, 'x')
  const before = made.length
  assert.deepEqual(ask('ours', 'z'), [1, 'z'])
  assert.equal(made.length, before)
})

test('templates that are too many or too long are forgotten', () => {
  const { ask, made } = create()
  for (let n = 0; n < 1_000; n++) for (const value of ['x', 'y']) ask(`twice ${n}`, value)
  assert.equal(made.length, 1_000)
  ask('twice 0', 'z')
  assert.equal(made.length, 1_001)
  const long = 'x'.repeat(10_000)
  ask(long, 'x')
  ask(long, 'y')
  assert.equal(made.length, 1_003)
})

test('a value cannot be looked at when its plan is made, nor stand in a template', () => {
  const { ask } = create()
  let kept: Slot<string> | undefined
  const one = Object({})
  const prepare = createTemplates<Read, Read, object>({
    ...{ model: () => one, make: () => ({}), sizeOf: () => 0 },
  })
  prepare(ANYBODY, {
    ...{ model: one, template: '', values: ['x'] },
    read: ({ text }) => {
      kept = text(0)
      return kept
    },
  })
  assert.throws(() => kept?.look((text) => text), /already/)
  assert.throws(() => JSON.stringify([kept]), /no part of a template/)
  assert.deepEqual(ask('a', 'x'), [1, 'x'])
})
