import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from './random.ts'

test('text has the asked length and only letters and digits', () => {
  for (const length of [0, 1, 32, 1_000]) {
    const text = random.text(length)
    assert.equal(text.length, length)
    assert.match(text, /^[A-Za-z0-9]*$/)
  }
})

test('every character is equally likely', () => {
  const draws = 620_000
  const counts = new Map<string, number>()
  for (const letter of random.text(draws)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  assert.equal(counts.size, 62)
  const expected = draws / 62
  let chiSquare = 0
  for (const count of counts.values()) chiSquare += (count - expected) ** 2 / expected
  // 61 degrees of freedom: fair draws exceed this once in a thousand million runs. Taking bytes
  // modulo 62 would reach thousands.
  assert.ok(chiSquare < 150, `chi-square ${chiSquare}`)
})

test('bytes and texts do not repeat', () => {
  const texts = Array.from({ length: 1_000 }, () => random.text(16))
  assert.equal(new Set(texts).size, 1_000)
  assert.equal(random.bytes(16).length, 16)
  assert.notDeepEqual(random.bytes(16), random.bytes(16))
})
