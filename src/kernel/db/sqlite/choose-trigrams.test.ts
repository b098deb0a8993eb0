import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseTrigrams } from './choose-trigrams.ts'

test('a part is looked for by trigrams of it that few texts have, at least one and at most three', () => {
  assert.deepEqual(chooseTrigrams('abc'), ['abc'])
  assert.deepEqual(chooseTrigrams('title 55433 of').toSorted(), ['3 o', '433', '554'].toSorted())
  assert.deepEqual(chooseTrigrams('aaaaaaa'), ['aaa'])
  for (const part of ['日本語の港', '𐌲𐌿𐍄𐌲', 'harbour master', ' x ']) {
    const chosen = chooseTrigrams(part)
    assert.ok(chosen.length > 0 && chosen.length <= 3)
    for (const trigram of chosen) {
      assert.equal(Array.from(trigram).length, 3)
      assert.ok(part.includes(trigram))
    }
  }
})
