import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseTrigrams } from './choose-trigrams.ts'

test('a part is looked for by trigrams of it that few texts have, at least one and at most three', () => {
  assert.deepEqual(chooseTrigrams(['abc']), ['abc'])
  assert.deepEqual(chooseTrigrams(['title 55433 of']).toSorted(), ['3 o', '433', '554'])
  assert.deepEqual(chooseTrigrams(['aaaaaaa']), ['aaa'])
  for (const part of ['日本語の港', '𐌲𐌿𐍄𐌲', 'harbour master', ' x ']) {
    const chosen = chooseTrigrams([part])
    assert.ok(chosen.length > 0 && chosen.length <= 3)
    for (const trigram of chosen) {
      assert.equal(Array.from(trigram).length, 3)
      assert.ok(part.includes(trigram))
    }
  }
})

test('of several parts the rare one is looked for by more trigrams than one that every text may have', () => {
  const chosen = chooseTrigrams([' title ', ' 158381 '])
  assert.equal(chosen.filter((trigram) => ' title '.includes(trigram)).length, 1)
  assert.equal(chosen.filter((trigram) => ' 158381 '.includes(trigram)).length, 3)
  const common = chooseTrigrams([' harbour ', ' cra'])
  assert.ok(common.some((trigram) => ' cra'.includes(trigram)))
  assert.ok(common.some((trigram) => ' harbour '.includes(trigram)))
})
