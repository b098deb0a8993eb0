import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashName } from './hash.ts'

test('the key decides which names share a bucket', () => {
  const inBucket = (key: number) =>
    names().filter((name) => (hashName(name, key, 77).low & 255) === 0)
  const [first, second] = [inBucket(1), inBucket(2)]
  assert.ok(first.length > 0)
  const shared = first.filter((name) => second.includes(name))
  assert.ok(shared.length < first.length / 4, `${shared.length} of ${first.length}`)
})

test('similar names spread evenly and never meet', () => {
  const buckets = new Array<number>(256).fill(0)
  const seen = new Set<string>()
  for (const name of names()) {
    const { low, high } = hashName(name, 0x1234_5678, 0x9abc_def0)
    seen.add(`${low} ${high}`)
    buckets[low & 255] = (buckets[low & 255] ?? 0) + 1
  }
  assert.equal(seen.size, names().length)
  assert.ok(Math.max(...buckets) < 130, `${Math.max(...buckets)} where 78 are expected`)
})

test('length and every character matter', () => {
  const texts = ['a', 'a\0', 'a\0\0', '\0a', 'ab', 'ba', '', '\0', 'é', 'e\u0301']
  const hashes = texts.map((text) => JSON.stringify(hashName(text, 5, 6)))
  assert.equal(new Set(hashes).size, texts.length)
  assert.deepEqual(hashName('abc', 5, 6), hashName('abc', 5, 6))
})

function names(): string[] {
  return Array.from({ length: 20_000 }, (_, index) => `rate:10.0.${index >> 8}.${index & 255}`)
}
