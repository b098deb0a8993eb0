import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasWord, WORD_PATTERN, wordsOf } from './words.ts'

test('words end at spaces, punctuation and signs of any script', () => {
  assert.deepEqual(wordsOf(' red, «blue»—green…(été)。'), ['red', 'blue', 'green', 'été'])
  assert.deepEqual(wordsOf('a_b a-b 3.5'), ['a', 'b', 'a', 'b', '3', '5'])
  assert.deepEqual(wordsOf(' ,.'), [])
})

test('a word is found whole, wherever it stands, and never as a part of another', () => {
  for (const [text, word, found] of [
    ['red wine', 'red', true],
    ['a wine, red', 'red', true],
    ['reddish', 'red', false],
    ['reddish red', 'red', true],
    ['infrared', 'red', false],
    ['été', 'ét', false],
    ['', 'red', false],
  ] as const) {
    assert.equal(hasWord(text, word), found, `${word} in ${text}`)
    const pattern = new RegExp(`${WORD_PATTERN.before}${word}${WORD_PATTERN.after}`)
    assert.equal(pattern.test(text), found, `${word} in ${text} by pattern`)
  }
})
