import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OperatorError } from '../errors.ts'
import { random } from '../random.ts'
import { createSecretBox } from './secret-box.ts'

const first = Buffer.alloc(32, 1)
const second = Buffer.alloc(32, 2)
const box = createSecretBox({ current: first, random })

test('a sealed text opens to what it was', () => {
  for (const text of ['', 'q3ZtB0eWm7Kc', 'größe 🚢\u0000\n', 'x'.repeat(100_000)]) {
    assert.equal(box.open(box.seal(text)), text)
    assert.equal(box.open(box.seal(text, 'subscription:7'), 'subscription:7'), text)
  }
})

test('the same text never looks the same and never shows', () => {
  const sealed = new Set(Array.from({ length: 100 }, () => box.seal('hunter2')))
  assert.equal(sealed.size, 100)
  for (const text of sealed) assert.doesNotMatch(text, /hunter2/)
})

test('a text opens only in its own context', () => {
  const sealed = box.seal('secret', 'subscription:7')
  for (const context of [undefined, '', 'subscription:8']) {
    assert.throws(() => box.open(sealed, context), OperatorError)
  }
})

test('every changed byte is noticed', () => {
  const sealed = box.seal('secret', 'c')
  const start = sealed.lastIndexOf('.') + 1
  const bytes = Buffer.from(sealed.slice(start), 'base64url')
  for (let n = 0; n < bytes.length; n++) {
    const changed = Buffer.from(bytes)
    changed[n] = (changed[n] ?? 0) ^ 1
    const text = sealed.slice(0, start) + changed.toString('base64url')
    assert.throws(() => box.open(text, 'c'), /changed or belongs to another record/)
  }
})

test('what is not sealed is refused', () => {
  const sealed = box.seal('secret')
  for (const text of [
    '',
    'secret',
    sealed.replace('v1', 'v2'),
    sealed.slice(0, 20),
    `${sealed} `,
  ]) {
    assert.throws(() => box.open(text), /not a sealed text/)
  }
})

test('another key is told apart from a changed text, without naming either key', () => {
  const sealed = createSecretBox({ current: second, random }).seal('secret')
  assert.throws(
    () => box.open(sealed),
    (error) => error instanceof OperatorError && error.message.includes(box.keyId),
  )
})

test('after a rotation old texts open and ask to be sealed again, new ones do not', () => {
  const old = box.seal('secret', 'c')
  const rotated = createSecretBox({ current: second, previous: first, random })
  assert.equal(rotated.open(old, 'c'), 'secret')
  assert.equal(rotated.needsReseal(old), true)
  const renewed = rotated.seal(rotated.open(old, 'c'), 'c')
  assert.equal(rotated.needsReseal(renewed), false)
  const later = createSecretBox({ current: second, random })
  assert.equal(later.open(renewed, 'c'), 'secret')
  assert.throws(() => later.open(old, 'c'), /another master key/)
})

test('a key of another length is refused', () => {
  for (const length of [0, 16, 31, 33]) {
    assert.throws(() => createSecretBox({ current: Buffer.alloc(length), random }), OperatorError)
  }
})
