import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMadeFrom, slugOf } from './slug.ts'

test('accents and other scripts become letters of URLs', () => {
  assert.equal(slugOf('Über den Fluß, 2026!'), 'uber-den-fluss-2026')
  assert.equal(slugOf("L'été à la plage"), 'lete-a-la-plage')
  assert.equal(slugOf('Иван Грозный'), 'ivan-groznyy')
  for (const title of ['東京タワー', 'مرحبا بالعالم', '안녕하세요', 'שלום', 'ΟΔΟΣ', '😀 party']) {
    assert.match(slugOf(title), /^[a-z0-9]+(-[a-z0-9]+)*$/, title)
  }
})

test('nothing that can be written gives nothing, and long texts are cut', () => {
  assert.equal(slugOf(' - !'), '')
  assert.equal(slugOf(''), '')
  assert.ok(slugOf('word '.repeat(500)).length <= 200)
  assert.doesNotMatch(slugOf('word '.repeat(500)), /-$/)
})

test('a slug with a number was made from its base', () => {
  assert.ok(isMadeFrom('a-b', 'a-b') && isMadeFrom('a-b', 'a-b-12'))
  assert.ok(!isMadeFrom('a', 'a-b') && !isMadeFrom('a', 'ab') && !isMadeFrom('a', 'a-'))
})
