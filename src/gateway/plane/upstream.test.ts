import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemory, sharedBytes } from '../memory.ts'
import { createPools } from './client/pools.ts'
import { imagine } from './plugin.testing.ts'
import { compileUpstream } from './upstream.ts'

const nothing = () => assert.fail('nothing is sent')
const receiver = {
  ...{ connected: nothing, head: nothing, data: nothing, flush: nothing, end: nothing },
  ...{ failed: nothing, switched: nothing, drained: nothing, hints: nothing, trailers: nothing },
}

test('gateway 21: many nodes of large weights make no second attempt dear', () => {
  const nodes = Array.from({ length: 100 }, (_, n) => ({
    ...{ host: `192.0.2.${n}`, port: 80, weight: 1_000 + n },
  }))
  const memory = openMemory(new SharedArrayBuffer(sharedBytes(1)))
  const pools = createPools(receiver)
  const deps = { memory, pools, verifyTls: true, findClientPair: () => undefined }
  const upstream = compileUpstream('upstreams/1', { nodes }, { cursor: 0, nodes: {} }, deps)
  const away = upstream.pick(imagine())
  assert.ok(away)
  const startedMs = performance.now()
  const chosen = new Set<string>()
  for (let n = 0; n < 120; n++) {
    const node = upstream.pick(Object.assign(imagine(), { tried: [away] }))
    chosen.add(node?.name ?? '')
  }
  assert.ok(performance.now() - startedMs < 5_000, `${performance.now() - startedMs} ms`)
  assert.equal(chosen.size > 90, true, 'they take turns')
  assert.equal(chosen.has(away.name), false)
  const all = [...upstream.nodes]
  assert.equal(upstream.pick(Object.assign(imagine(), { tried: all })), undefined)
  const last = all.pop()
  assert.equal(upstream.pick(Object.assign(imagine(), { tried: all })), last)
  pools.close()
})
