import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CachedAnswer, createAnswerCache } from './answer-cache.ts'

function answerOf(
  resource: string,
  bytes = 100,
  tags: string[] = [],
  owner = 'a route',
): CachedAnswer {
  const times = { storedAtMs: 0, ageMs: 0, freshMs: 1 }
  return { status: 200, headers: [], body: Buffer.alloc(bytes), resource, tags, owner, ...times }
}

test('proxy-cache: the answers used last stay within the bytes there are', () => {
  const cache = createAnswerCache(3_000)
  for (const key of ['a', 'b', 'c']) cache.keep(key, answerOf('h/x', 400))
  assert.ok(cache.find('a'))
  cache.keep('d', answerOf('h/x', 400))
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.find(key) !== undefined),
    [true, false, true, true],
  )
  cache.keep('huge', answerOf('h/x', 4_000))
  assert.equal(cache.find('huge'), undefined)
  for (let n = 0; n < 100; n++) cache.keep('a', answerOf('h/x', 400))
  assert.ok(cache.find('d'), 'an answer that is replaced gives its bytes back')
})

test('proxy-cache: a purge drops what it means, and spoils what is on its way', () => {
  const cache = createAnswerCache(100_000)
  const fill = () => {
    cache.keep('1', answerOf('h.org/a/1', 1, ['red']))
    cache.keep('2', answerOf('h.org/a/2', 1, ['red', 'blue']))
    cache.keep('3', answerOf('i.org/a/1', 1))
  }
  for (const [purge, dropped, isSpoiled] of [
    [{ by: 'tag', text: 'red' }, 2, true],
    [{ by: 'prefix', text: '/a/1' }, 2, true],
    [{ by: 'prefix', text: 'h.org/a' }, 2, false],
    [{ by: 'resource', text: 'i.org/a/1' }, 1, true],
    [{ by: 'resource', text: 'i.org/a' }, 0, false],
    [{ by: 'all' }, 3, true],
  ] as const) {
    fill()
    const watch = cache.watch('i.org/a/1')
    assert.equal(cache.purge(purge), dropped, JSON.stringify(purge))
    assert.equal(watch.isSpoiled, isSpoiled, JSON.stringify(purge))
    watch.end()
  }
})

test('proxy-cache: a route with many answers drives out its own, not those of others', () => {
  const cache = createAnswerCache(10_000)
  for (const key of ['q1', 'q2']) cache.keep(key, answerOf('h/q', 400, [], 'quiet'))
  for (let n = 0; n < 500; n++) cache.keep(`g${n}`, answerOf('h/g', 400, [], 'greedy'))
  assert.ok(cache.find('q1') && cache.find('q2'))
  assert.ok(cache.find('g499'))
  assert.equal(cache.find('g0'), undefined)
  for (let n = 0; n < 500; n++) cache.keep(`o${n}`, answerOf('h/o', 400, [], 'other'))
  const left = Array.from({ length: 500 }, (_, n) => cache.find(`g${n}`)).filter(Boolean).length
  assert.ok(left >= 3 && left <= 5, `${left}: as much as the other greedy one has`)
  assert.ok(cache.find('q1') && cache.find('q2'))
  cache.purge({ by: 'all' })
  cache.keep('g', answerOf('h/g', 9_000, [], 'greedy'))
  assert.ok(cache.find('g'), 'a purge gives all bytes back')
})

test('proxy-cache: an answer costs as much in a large cache that is full as in a small one', () => {
  const millisecondsOf = (maxBytes: number) => {
    const cache = createAnswerCache(maxBytes)
    const answer = answerOf('h/x', 0)
    for (let n = 0; n < maxBytes / 300; n++) cache.keep(`${n}`, answer)
    const startedMs = performance.now()
    for (let n = 0; n < 5_000; n++) cache.keep(`-${n}`, answer)
    return performance.now() - startedMs
  }
  millisecondsOf(300_000)
  const [small, large] = [millisecondsOf(300_000), millisecondsOf(60_000_000)]
  assert.ok(large < 10 * small, `${large.toFixed(1)} ms and ${small.toFixed(1)} ms`)
})
