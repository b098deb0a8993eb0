import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TurnOver } from './engine.ts'
import { createScript } from './sandboxes.ts'
import { createTurns, type ScriptCall } from './turns.ts'

const SOURCE = { phase: 'access', functions: ['() => {}'], mayReadBody: false, conf: '{}' }

/** Calls take the milliseconds their scope says; above 15 they do not end in their turn. */
function setUp() {
  let nowMs = 1_000
  const ends: (() => void)[] = []
  const ran: string[] = []
  const noted: string[] = []
  const turns = createTurns({
    now: () => nowMs,
    usedMs: () => nowMs,
    noteTime: (of, ms) => void noted.push(`${of} ${ms}`),
    soon: (work) => void ends.push(work),
    sandboxes: {
      run(_script, scope, _host, { turnMs }) {
        const takes = Number(scope.split(':')[1])
        nowMs += Math.min(takes, turnMs)
        if (takes > turnMs) throw new TurnOver()
        ran.push(scope)
        return scope
      },
    },
    runInWorker: async ({ scope }) => {
      ran.push(`in a worker ${scope}`)
      return scope
    },
  })
  const call = (scope: string, more: Partial<ScriptCall> = {}): ScriptCall => {
    const plain = { host: () => undefined, limitMs: 50, restart() {}, isGone: () => false }
    return { script: createScript(SOURCE), scope, ...plain, ...more }
  }
  const nextTurn = async () => {
    ends.shift()?.()
    await null
  }
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { ...turns, call, ran, noted, nextTurn, pass }
}

test('scripts: a call that ends soon has its outcome at once', () => {
  const { run, call } = setUp()
  assert.equal(run(call('a:1')), 'a:1')
})

test('scripts: one that does not end soon begins anew in a worker, and so do its next calls', async () => {
  const { run, call, ran, pass } = setUp()
  let restarts = 0
  const slow = call('a:16', { restart: () => void restarts++ })
  assert.equal(await run(slow), 'a:16')
  assert.equal(restarts, 1)
  assert.equal(await run({ ...slow, scope: 'a:1' }), 'a:1')
  assert.deepEqual(ran, ['in a worker a:16', 'in a worker a:1'])
  assert.equal(restarts, 1)
  pass(5_000)
  const tried = run({ ...slow, scope: 'a:1' })
  assert.ok(tried instanceof Promise, 'the turn is used up')
})

test('scripts: calls that take the thread for too long together wait, and routes take turns', async () => {
  const { run, call, ran, nextTurn } = setUp()
  const all = ['a:6', 'a:6', 'a:6', 'a:6', 'b:1'].map((scope) => run(call(scope)))
  assert.deepEqual(ran, ['a:6', 'a:6'])
  await nextTurn()
  assert.deepEqual(ran.slice(2), ['a:6', 'b:1', 'a:6'])
  assert.deepEqual(await Promise.all(all), ['a:6', 'a:6', 'a:6', 'a:6', 'b:1'])
})

test('scripts: nothing runs for who has left while it waited, and a failure is told', async () => {
  const { run, call, ran, nextTurn } = setUp()
  run(call('a:15'))
  const gone = run(call('b:1', { isGone: () => true }))
  await nextTurn()
  assert.equal(await gone, '')
  assert.deepEqual(ran, ['a:15'])
})

test('scripts: of every call and of every turn it is known what they took from the thread', async () => {
  const { run, call, noted, nextTurn } = setUp()
  for (const scope of ['a:1', 'a:5', 'a:16', 'b:2']) void run(call(scope))
  assert.deepEqual(noted, ['call 1', 'call 5', 'call 15'])
  await nextTurn()
  assert.deepEqual(noted.slice(3), ['turn 21', 'call 2'])
  await nextTurn()
  assert.deepEqual(noted.slice(5), ['turn 2'])
  await nextTurn()
  assert.equal(noted.length, 6)
})
