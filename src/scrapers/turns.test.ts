import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

const LIMITS = { atOnce: 3, atOnceOfUser: 2, waitingOfUser: 4, waiting: 6 }
const { signal: never } = new AbortController()

function setUp() {
  const turns = createTurns(LIMITS)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return { begun, want, end }

  async function want(userId: number, name: string, signal = never) {
    const entered = turns.enter(userId, signal)
    if (typeof entered === 'string') return entered
    const leave = await entered
    begun.push(name)
    ends.set(name, leave)
    return 'begun'
  }

  /** Resolves when whoever had the next turn has begun. */
  async function end(name: string) {
    ends.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('scrapers finding 1: a slot stays free for others, and users take turns', async () => {
  const { begun, want, end } = setUp()
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void want(1, name)
  await want(2, 'b1')
  for (const name of ['b2', 'b3']) void want(2, name)
  void want(3, 'c1')
  await end('')
  assert.deepEqual(begun, ['a1', 'a2', 'b1'])
  await end('b1')
  await end('a1')
  await end('a2')
  await end('b2')
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'b2', 'c1', 'a3', 'b3'])
})

test('scrapers finding 1: the queues of one user and of all are bounded, and leaving makes room', async () => {
  const { begun, want, end } = setUp()
  const leaving = new AbortController()
  await want(1, 'a1')
  await want(1, 'a2')
  const left = want(1, 'a3', leaving.signal)
  for (const name of ['a4', 'a5', 'a6']) void want(1, name)
  assert.equal(await want(1, 'a7'), 'user')
  await want(2, 'b1')
  void want(2, 'b2')
  void want(2, 'b3')
  assert.equal(await want(3, 'c1'), 'all')
  leaving.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  void want(3, 'c1')
  await end('a1')
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1'])
  await end('b1')
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'b2'])
})
