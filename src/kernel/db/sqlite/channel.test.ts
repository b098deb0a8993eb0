import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { createChannel } from './channel.ts'

const PLAN = { file: 'main', texts: [], cells: [], hasEvents: false } as const

function received(port: MessagePort): number[] {
  const counts: number[] = []
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
    counts.push(next.message.length)
  }
  return counts
}

test('the writer has plans to carry out while others of the same turn are still made', async (t) => {
  const { port1, port2 } = new MessageChannel()
  t.after(() => port1.close())
  const channel = createChannel(port1, { onStuck() {}, isHeldUp: () => false })
  const plans = Array.from({ length: 7 }, () => channel.sendPlan(PLAN))
  assert.deepEqual(received(port2), [1, 4])
  await turn()
  assert.deepEqual(received(port2), [2])
  port2.postMessage(plans.map((_, at) => ({ id: at + 1, columns: [], rows: [], done: true })))
  assert.equal((await Promise.all(plans)).length, 7)
})
