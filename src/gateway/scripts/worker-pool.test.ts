import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { DomainError } from '#kernel'
import { silentLog } from '#test-kit'
import { ScriptFailure } from './engine.ts'
import { createScript } from './sandboxes.ts'
import type { ScriptCall } from './turns.ts'
import { openScriptWorker, type ScriptWorker } from './worker.ts'
import { createWorkerPool } from './worker-pool.ts'

const ENDLESS = '() => { while (true) {} }'
const BUSY =
  '() => { const until = Date.now() + 20; while (Date.now() < until); return [200, "ok"] }'

function callOf(text: string, more: Partial<ScriptCall> = {}): ScriptCall {
  const source = { phase: 'access', functions: [text], mayReadBody: false, conf: '{}' }
  const plain = { host: () => undefined, limitMs: 200, restart() {}, isGone: () => false }
  return { script: createScript(source), scope: 'a route', ...plain, ...more }
}

/** With the real worker, which the test can end. */
function withWorkers() {
  const workers: ScriptWorker[] = []
  const pool = createWorkerPool({
    log: silentLog,
    openWorker(owner) {
      const worker = openScriptWorker(owner)
      workers.push(worker)
      return worker
    },
  })
  return { ...pool, workers }
}

const codeOf = async (outcome: Promise<string>) => {
  const error = await outcome.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  return error instanceof ScriptFailure || error instanceof DomainError ? error.code : error
}

test('scripts: a worker that ends is replaced; who waits is answered, who was under way too', async () => {
  const { run, workers, close } = withWorkers()
  const asked = Promise.withResolvers<void>()
  const host = () => void asked.resolve()
  const text = '(conf, ctx) => { ctx.now(); while (true) {} }'
  const underWay = codeOf(run(callOf(text, { host, limitMs: 1_000 })))
  await asked.promise
  const waiting = [1, 2, 3].map(() => run(callOf(BUSY, { scope: 'another' })))
  await workers[0]?.end()
  assert.equal(await underWay, 'script_error')
  for (const text of await Promise.all(waiting)) assert.match(text, /"body":"ok"/)
  assert.ok(workers.length >= 2)
  await close()
})

test('scripts: a script that does not end takes one worker at most, and others come first', async () => {
  const { run, close } = withWorkers()
  const endless = callOf(ENDLESS, { limitMs: 300 })
  assert.equal(await codeOf(run(endless)), 'script_timeout')
  const ended: string[] = []
  const greedy = [1, 2, 3, 4].map(() =>
    codeOf(run(endless)).then((code) => void ended.push(String(code))),
  )
  const quiet = [1, 2, 3, 4, 5].map(() =>
    run(callOf(BUSY, { scope: 'quiet' })).then(() => void ended.push('quiet')),
  )
  await Promise.all(quiet)
  const before = ended.filter((what) => what === 'script_timeout').length
  assert.ok(before <= 2, `${before} endless calls before five short ones`)
  await Promise.all(greedy)
  assert.equal(ended.length, 9)
  await close()
})

test('scripts: of too many that wait the greediest is refused; a quiet one is taken in', async () => {
  const { run, close } = withWorkers()
  const endless = callOf(ENDLESS, { limitMs: 1_000, scope: 'greedy' })
  const greedy = Array.from({ length: 300 }, () => codeOf(run(endless)))
  const quiet = run(callOf(BUSY, { scope: 'quiet' }))
  assert.match(await quiet, /"body":"ok"/)
  const refused = await Promise.all(greedy.slice(258))
  assert.deepEqual(new Set(refused), new Set(['scripts_busy']))
  await close()
})

test('scripts: those whose clients have left take no places', async () => {
  const { run, close } = withWorkers()
  let isGone = false
  const scope = 'greedy'
  const endless = callOf(ENDLESS, { limitMs: 1_000, scope, isGone: () => isGone })
  const left = Array.from({ length: 256 }, () => codeOf(run(endless)))
  isGone = true
  const stays = Array.from({ length: 20 }, () => run(callOf(BUSY, { scope })))
  for (const text of await Promise.all(stays)) assert.match(text, /"body":"ok"/)
  await close()
  await Promise.all(left.slice(10))
})

test('scripts: a worker that does not answer is replaced; a call that waits too long is refused', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let opened = 0
  let ends = 0
  const { run } = createWorkerPool({
    log: silentLog,
    openWorker(owner) {
      opened++
      queueMicrotask(() => owner.ready())
      return { run() {}, end: async () => ++ends }
    },
  })
  const hung = [codeOf(run(callOf(ENDLESS))), codeOf(run(callOf(ENDLESS)))]
  await setImmediate()
  t.mock.timers.tick(8_000)
  const waits = codeOf(run(callOf(ENDLESS, { scope: 'waits', limitMs: 900 })))
  t.mock.timers.tick(8_500)
  assert.deepEqual(await Promise.all(hung), ['script_timeout', 'script_timeout'])
  assert.equal(ends, 2)
  assert.equal(opened, 3)
  const more = [1, 2].map(() => codeOf(run(callOf(ENDLESS))))
  await setImmediate()
  t.mock.timers.tick(10_000)
  assert.equal(await more[1], 'scripts_busy')
  t.mock.timers.tick(7_000)
  assert.deepEqual(await Promise.all([waits, more[0]]), ['script_timeout', 'script_timeout'])
})

test('scripts: a worker that does not begin is replaced', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const owners: Parameters<typeof openScriptWorker>[0][] = []
  let ends = 0
  const { run } = createWorkerPool({
    log: silentLog,
    openWorker(owner) {
      owners.push(owner)
      return { run: () => owner.done('done'), end: async () => ++ends }
    },
  })
  const first = codeOf(run(callOf(BUSY)))
  t.mock.timers.tick(12_000)
  assert.equal(await first, 'scripts_busy')
  t.mock.timers.tick(45_000)
  const second = codeOf(run(callOf(BUSY)))
  t.mock.timers.tick(3_000)
  assert.equal(await second, 'scripts_unavailable')
  assert.equal(ends, 1)
  const third = run(callOf(BUSY))
  owners[1]?.ready()
  assert.equal(await third, 'done')
})
