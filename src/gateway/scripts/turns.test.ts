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
  const turns = createTurns({
    now: () => nowMs,
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
    runApart: async ({ scope }) => {
      ran.push(`apart ${scope}`)
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
  return { ...turns, call, ran, nextTurn, pass }
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
  assert.deepEqual(ran, ['apart a:16', 'apart a:1'])
  assert.equal(restarts, 1)
  pass(5_000)
  const tried = run({ ...slow, scope: 'a:1' })
  assert.ok(tried instanceof Promise, 'the turn is used up')
})

test('scripts: calls that take the thread for too long together wait, and routes take turns', async () => {
  const { run, call, ran, nextTurn } = setUp()
  const all = ['a:10', 'a:10', 'a:10', 'a:10', 'b:1'].map((scope) => run(call(scope)))
  assert.deepEqual(ran, ['a:10', 'a:10'])
  await nextTurn()
  assert.deepEqual(ran.slice(2), ['a:10', 'b:1', 'a:10'])
  assert.deepEqual(await Promise.all(all), ['a:10', 'a:10', 'a:10', 'a:10', 'b:1'])
})

test('scripts: nothing runs for who has left while it waited, and a failure is told', async () => {
  const { run, call, ran, nextTurn } = setUp()
  run(call('a:15'))
  const gone = run(call('b:1', { isGone: () => true }))
  await nextTurn()
  assert.equal(await gone, '')
  assert.deepEqual(ran, ['a:15'])
})
