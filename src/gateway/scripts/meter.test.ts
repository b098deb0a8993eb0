import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileEngine, type HostCall, openEngine, ScriptFailure } from './engine.ts'

const LONG = { limitMs: 1_000, turnMs: 10_000 }
const engine = await openEngine(await compileEngine())
const source = (...functions: string[]) => ({
  ...{ phase: 'access', mayReadBody: false, conf: '{"limit":3}' },
  functions,
})
const deaf: HostCall = () => undefined

function failureOf(work: () => unknown): ScriptFailure {
  try {
    work()
  } catch (error) {
    if (error instanceof ScriptFailure) return error
  }
  return assert.fail('the script did not fail')
}

test('loops inside the engine itself are metered, where its own interrupts are not looked at', () => {
  for (const script of [
    '() => { "a".repeat(4e6).indexOf("a".repeat(2e6) + "b") }',
    '() => Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)',
    '() => { /^(a+)+$/.test("a".repeat(40) + "b") }',
  ]) {
    const image = engine.load(source(script), LONG)
    const before = process.threadCpuUsage()
    assert.equal(
      failureOf(() => engine.call(deaf, { limitMs: 20, turnMs: 10_000 })).code,
      'script_timeout',
      script,
    )
    const { user } = process.threadCpuUsage(before)
    assert.ok(user / 1000 < 120, `${script}: ${user / 1000} ms`)
    engine.restore(image)
  }
})

test('an image brings back the state of a script after a failure, and of another script', () => {
  const counting =
    "let calls = 0\nreturn (conf) => { if (++calls === conf.limit) throw new Error('x'); return [200, String(calls)] }"
  const image = engine.load(source(counting), LONG)
  const ask = () => JSON.parse(engine.call(deaf, LONG)).answer.body
  assert.deepEqual([ask(), ask()], ['1', '2'])
  assert.equal(failureOf(ask).message, 'Error: x')
  engine.restore(image)
  assert.equal(ask(), '1')
  engine.load(source('() => [200, String(typeof calls)]'), LONG)
  assert.equal(ask(), 'undefined')
  engine.restore(image)
  assert.deepEqual([ask(), ask()], ['1', '2'])
})

test('memory is bounded whatever scripts allocate, and an image stays small', () => {
  for (let round = 0; round < 3; round++) {
    const image = engine.load(
      source('() => { const a = []; for (;;) a.push(new Uint8Array(65536)) }'),
      LONG,
    )
    assert.equal(failureOf(() => engine.call(deaf, LONG)).code, 'script_memory')
    assert.ok(image.bytes < 2 * 1024 * 1024, String(image.bytes))
    engine.restore(image)
  }
})

test('calls leave nothing behind: thousands of them fit into the memory of one script', () => {
  engine.load(
    source(
      "async (conf, ctx) => { ctx.set('a', 'x'.repeat(10000)); await null; return [200, 'y'.repeat(1000)] }",
    ),
    LONG,
  )
  for (let round = 0; round < 4_000; round++) engine.call(deaf, LONG)
})
