import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemory, sharedBytes } from './memory.ts'

test('latency is a mean in which old figures fade, the same for all threads', () => {
  const shared = new SharedArrayBuffer(sharedBytes(1))
  const [one, other] = [openMemory(shared), openMemory(shared)]
  const nowMs = Date.now()
  assert.equal(one.latency(7, nowMs), 0)
  one.observe(7, 100, nowMs)
  assert.ok(Math.abs(other.latency(7, nowMs) - 100) < 1)
  other.observe(7, 10, nowMs + 10_000)
  const mixed = one.latency(7, nowMs + 10_000)
  assert.ok(mixed > 10 && mixed < 100, `${mixed}`)
  assert.ok(one.latency(7, nowMs + 60_000) < 1)
  one.report(7, 'http_failure', 100)
  assert.ok(one.latency(7, nowMs + 10_000) > 10, 'outcomes leave it alone')
  assert.equal(one.latency(one.move(7), nowMs), 0)
})
