import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { createSharedCounters, type SharedCounters } from '#counters'
import { createClock } from '#kernel'
import { openMemory, sharedBytes } from '../memory.ts'
import type { ConfigObject } from '../protocol.ts'
import { createAnswerCache } from './answer-cache.ts'
import { createPools } from './client/pools.ts'
import { definePlugin, type PluginCounters } from './plugin.ts'
import { createState } from './state.ts'

/** The configuration of one thread, with one plugin that does nothing but show what it was given. */
async function openThread(shared: SharedArrayBuffer | undefined, ownerId: number) {
  const clock = createClock(new SharedArrayBuffer(64))
  const counters: SharedCounters = createSharedCounters({
    ...{ clock, ownerId, capacity: 1024 },
    ...(shared ? { shared } : {}),
  })
  const given: PluginCounters[] = []
  const plugin = definePlugin({
    name: 'counting',
    priority: 1,
    schema: Type.Object({}),
    setup(_conf, { counters }) {
      given.push(counters)
      return {}
    },
  })
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const nothing = () => assert.fail('nothing is forwarded')
  const receiver = {
    ...{ connected: nothing, head: nothing, data: nothing, flush: nothing, end: nothing },
    ...{ failed: nothing, switched: nothing, drained: nothing },
    ...{ hints: nothing, trailers: nothing },
  }
  const state = createState({
    ...{ clock, counters, log, api: null, verifyTls: true },
    memory: openMemory(new SharedArrayBuffer(sharedBytes(1))),
    pools: createPools(receiver),
    findPlugin: () => plugin,
    access: Object.create(null),
    ...{ scripts: Object.create(null), loggers: Object.create(null), count: nothing },
    ...{ tlsPort: null, defaultCertificate: null, abort: () => {}, serveTls: nothing },
    ...{ call: nothing, purge: nothing, sessionKey: new Uint8Array(32) },
    cache: createAnswerCache(0),
    pause: async () => {},
  })
  const route: ConfigObject = {
    ...{ kind: 'routes', id: '1', createdIndex: 1, modifiedIndex: 1, slots: {} },
    value: { uri: '/', plugins: { counting: {} } },
  }
  await state.apply([{ put: route }])
  const [first] = given
  assert.ok(first)
  return { counters: first, all: counters }
}

test('structure 5b: a plugin counts exactly over all threads, under names of its own', async () => {
  const one = await openThread(undefined, 1)
  const two = await openThread(one.all.shared, 2)
  const window = { kind: 'fixed', ms: 60_000 } as const
  const step = { name: 'routes/1', window, amount: 1, limit: 3 }
  const allowed = [one, two, one, two].map(({ counters }) => counters.add([step]).allowed)
  assert.deepEqual(allowed, [true, true, true, false])
  assert.equal(two.counters.read('routes/1', window), 3)
  assert.equal(one.all.readSync('routes/1', window), undefined, 'nobody else counts on this name')
  two.counters.add([{ ...step, amount: -2 }])
  assert.equal(one.counters.add([step]).allowed, true)
})
