import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFreshness } from './freshness.ts'

test('other processes hear of a write soon, and of many by few notices', (t) => {
  let nowMs = 1_000
  t.mock.timers.enable({ apis: ['setTimeout'] })
  t.mock.method(performance, 'now', () => nowMs)
  const notices: unknown[] = []
  const bus = {
    publish: async (_: string, message: unknown) => void notices.push(message),
    subscribe: () => () => {},
  }
  const { touch } = createFreshness({ bus, isSingleProcess: false })
  const write = (typeNo: number) => touch({ afterCommit: (work) => void work() }, [typeNo])
  const pass = (ms: number) => {
    nowMs += ms
    t.mock.timers.tick(ms)
  }

  write(1)
  pass(5)
  assert.deepEqual(notices, [[1]])
  write(1)
  write(2)
  pass(40)
  write(2)
  assert.equal(notices.length, 1)
  pass(10)
  assert.deepEqual(notices, [[1], [1, 2]])
  pass(1_000)
  write(3)
  pass(5)
  assert.deepEqual(notices, [[1], [1, 2], [3]])
})
