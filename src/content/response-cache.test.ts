import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFreshness } from './freshness.ts'
import { createResponseCache } from './response-cache.ts'

type Work = () => unknown

function createParts({ maxBytes = 1024 * 1024, maxAgeMs = Number.POSITIVE_INFINITY } = {}) {
  const handlers: ((message: never) => void)[] = []
  const freshness = createFreshness({
    bus: {
      publish: async () => {},
      subscribe: (_topic, handler) => {
        handlers.push(handler)
        return () => {}
      },
    },
  })
  const cache = createResponseCache({ freshness, maxAgeMs, maxBytes })
  return { cache, commit }

  function commit(...typeNos: number[]) {
    const later: Work[] = []
    freshness.touch({ afterCommit: (work) => void later.push(work) }, typeNos)
    for (const work of later) work()
  }
}

const response = (body: string) => ({ etag: 'W/"1"', headers: {}, bodyHeaders: {}, body })

test('a response is given until one of its types changes, and no other change matters', () => {
  const { cache, commit } = createParts()
  cache.keep('a', cache.begin(), [1, 2], response('one'))
  assert.equal(cache.find('a')?.body, 'one')
  commit(3)
  assert.equal(cache.find('a')?.body, 'one')
  commit(2)
  assert.equal(cache.find('a'), undefined)
  assert.equal(cache.find('b'), undefined)
})

test('a change between beginning and end keeps the response out', () => {
  const { cache, commit } = createParts()
  const begun = cache.begin()
  commit(1)
  cache.keep('a', begun, [1], response('old'))
  assert.equal(cache.find('a'), undefined)
  cache.keep('a', begun, [2], response('of another type'))
  assert.equal(cache.find('a')?.body, 'of another type')
})

test('a response that is too old is made anew, whatever was noticed', () => {
  const { cache } = createParts({ maxAgeMs: 1_000 })
  const { since, atMs } = cache.begin()
  cache.keep('old', { since, atMs: atMs - 1_001 }, [1], response('old'))
  cache.keep('new', { since, atMs }, [1], response('new'))
  assert.equal(cache.find('old'), undefined)
  assert.equal(cache.find('new')?.body, 'new')
})

test('the least recently used responses make room', () => {
  const { cache } = createParts({ maxBytes: 128 * 1024 })
  const body = 'x'.repeat(1_000)
  for (let n = 0; n < 100; n++) {
    cache.keep(`k${n}`, cache.begin(), [1], response(body))
    cache.find('k0')
  }
  assert.ok(cache.find('k0'), 'used all the time')
  assert.equal(cache.find('k1'), undefined)
  assert.ok(cache.find('k99'))
  cache.keep('large', cache.begin(), [1], response('x'.repeat(10_000)))
  assert.equal(cache.find('large'), undefined)
})

test('without memory nothing is kept', () => {
  const { cache } = createParts({ maxBytes: 0 })
  cache.keep('a', cache.begin(), [1], response(''))
  assert.equal(cache.find('a'), undefined)
})

test('another thread hears of a commit in the turn after it, other processes of several at once', async () => {
  const told = new Map<string, unknown[]>()
  const bus = {
    publish: async (topic: string, typeNos: unknown) =>
      void told.set(topic, [...(told.get(topic) ?? []), typeNos]),
    subscribe: () => () => {},
  }
  const writer = createFreshness({ bus, isSingleProcess: false })
  const commit = (typeNo: number) => writer.touch({ afterCommit: (work) => void work() }, [typeNo])
  commit(1)
  await new Promise(setImmediate)
  assert.deepEqual(told.get('process:content.touched'), [[1]])
  commit(2)
  commit(3)
  while (![told.get('content.touched')].flat(2).includes(3)) await new Promise(setImmediate)
  assert.deepEqual(told.get('process:content.touched'), [[1], [2, 3]])
})

test('a response costs as much in a large cache that is full as in a small one', () => {
  const millisecondsOf = (maxBytes: number) => {
    const { cache } = createParts({ maxBytes })
    const count = (2 * maxBytes) / 1_000
    for (let n = 0; n < count; n++) cache.keep(`${n}`, cache.begin(), [1], response('one'))
    const startedMs = performance.now()
    for (let n = 0; n < 5_000; n++) cache.keep(`-${n}`, cache.begin(), [1], response('one'))
    return performance.now() - startedMs
  }
  millisecondsOf(500_000)
  const [small, large] = [millisecondsOf(500_000), millisecondsOf(150_000_000)]
  assert.ok(large < 10 * small, `${large.toFixed(1)} ms and ${small.toFixed(1)} ms`)
})
