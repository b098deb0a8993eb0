import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createLocalBus } from '#bus'
import { createSharedCounters } from '#counters'
import { type ConfigChange, createControl } from '#gateway'
import { openJournal } from '#journal'
import { createClock, random } from '#kernel'
import {
  assertPrompt,
  freePort,
  listenersOn,
  silentLog,
  temporaryDirectory,
  until,
} from '#test-kit'
import { createFailures } from '#threads'

const clock = createClock()

async function startGateway(threads: number, heldBack = new SharedArrayBuffer(4)) {
  const port = await freePort()
  const dataDir = temporaryDirectory()
  const failures = createFailures({
    clock,
    log: silentLog,
    onGiveUp: (name) => assert.fail(`${name} was given up`),
  })
  const control = createControl({
    threads,
    failures,
    log: silentLog,
    connectBus: createLocalBus({ log: silentLog }).connect,
    data: {
      host: '127.0.0.1',
      port,
      tlsPort: null,
      defaultCertificate: null,
      maxBody: 0,
      sessionKey: new Uint8Array(32),
      cacheBytes: 2 ** 20,
      trustedProxies: [],
      proxyProtocol: [],
      h2c: false,
      upstreamTlsVerify: true,
      logDirectories: [join(dataDir, 'logs', 'gateway')],
      drainMs: 2_000,
      underTest: true,
      heldBack,
      clock: clock.shared,
      log: { to: 'file', level: 'info', dataDir },
      counters: {
        shared: createSharedCounters({ clock, capacity: 1_024, ownerId: 1 }).shared,
        redis: null,
        databaseUrl: null,
        timeoutMs: 100,
      },
      journal: openJournal({
        directory: join(dataDir, 'journal'),
        clock,
        random,
        maxTotalBytes: 2 ** 30,
      }).address,
      limits: {
        anonymousPerMinute: 0,
        anonymousWritesPerMinute: 0,
        ietfHeaders: true,
        onStoreFailure: 'local',
      },
      api: null,
    },
  })
  await control.start()
  after(() => control.stop(5_000))
  return { control, port, url: `http://127.0.0.1:${port}/` }
}

function route(id: string, plugins: Record<string, Record<string, string[]>> = {}): ConfigChange {
  const value = { uri: `/${id}`, plugins }
  return { put: { kind: 'routes', id, value, createdIndex: 1, modifiedIndex: 1, slots: {} } }
}

/** Routes that take a millisecond each to compile, or some. */
function dear(count: number): ConfigChange[] {
  const rewrite = { regex_uri: ['^/(\\p{L}+)/([a-z0-9-]{1,40})$', '/$1/$2'] }
  return Array.from({ length: count }, (_, n) => route(String(n), { 'proxy-rewrite': rewrite }))
}

async function tookMs(work: Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now()
  await work
  return performance.now() - startedAtMs
}

/** Asks until every thread has answered, each over new connections. */
async function revisions(url: string, threads: number) {
  const seen = new Map<string, number>()
  await until(async () => {
    const answer = await fetch(url, { headers: { connection: 'close' } })
    await answer.text()
    const thread = answer.headers.get('x-test-thread') ?? ''
    seen.set(thread, Number(answer.headers.get('x-test-revision')))
    return seen.size === threads
  })
  return [...seen.values()]
}

test('an empty configuration answers 404 in the gateway shape', async () => {
  const { url } = await startGateway(1)
  const answer = await fetch(url)
  assert.equal(answer.status, 404)
  assert.equal(await answer.text(), '{"error_msg":"404 Route Not Found"}')
})

test('a published change is used by every one of three threads when publish answers', async () => {
  const { control, url } = await startGateway(3)
  for (let n = 1; n <= 20; n++) {
    const revision = await control.publish([route(String(n))])
    assert.equal(revision, n)
  }
  assert.deepEqual(await revisions(url, 3), [20, 20, 20])
})

test('parallel changes are all applied, in order', async () => {
  const { control, url } = await startGateway(3)
  await Promise.all(Array.from({ length: 100 }, (_, n) => control.publish([route(String(n))])))
  assert.deepEqual(await revisions(url, 3), [100, 100, 100])
})

test('gateway 33: a large change is compiled beside the traffic, and its thread is not taken for silent', async () => {
  const { control, url } = await startGateway(1)
  const many = dear(600)
  let answered = 0
  let isOver = false
  const traffic = async () => {
    while (!isOver) {
      await (await fetch(url)).text()
      answered++
    }
  }
  const published = Promise.all([control.publish(many), control.publish([route('next')])])
  const asking = traffic()
  assert.deepEqual(await published, [1, 2])
  // Compiled in one go it would be one, or two: of those that ask one after the other the next one waits.
  assert.ok(answered > 3, `${answered} requests were answered meanwhile`)
  isOver = true
  await asking
  assert.equal(control.status().restarts, 0)
  assert.deepEqual(await revisions(url, 1), [2])
})

test('gateway 33: a thread that is at work is not silent when the one that asks was held up', async () => {
  const { control, url } = await startGateway(1)
  await control.publish(dear(50))
  // Whatever the machine takes for one, all of them take longer than a thread may be silent.
  const many = dear(Math.ceil((200 * 6_000) / (await tookMs(control.publish(dear(200))))))
  const { promise: published, resolve } = Promise.withResolvers<unknown>()
  // Between listening and looking at the clock: there nothing that the threads say is heard.
  setImmediate(() => {
    resolve(control.publish(many))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500)
  })
  await published
  assert.equal(control.status().restarts, 0)
  assert.deepEqual(await revisions(url, 1), [3])
})

test('gateway 33: while one thread is at work on a large change, a silent one is replaced all the same', async () => {
  const { control, url } = await startGateway(2)
  const { blocked } = await silenceOne(url)
  assertPrompt(await tookMs(control.publish(dear(600))), 20_000)
  assert.equal(await blocked, 'cut')
  assert.equal(control.status().restarts, 1)
  assert.deepEqual(await revisions(url, 2), [1, 1])
})

/** Makes one thread silent; resolves once it is. Once unanswered could be a busy machine. */
async function silenceOne(url: string) {
  const blocked = fetch(url, { headers: { 'x-test-block': '60000' } }).catch(() => 'cut')
  let unanswered = 0
  await until(async () => {
    const answer = await fetch(url, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(1_000),
    }).catch(() => undefined)
    if (answer === undefined) unanswered++
    return unanswered === 3
  })
  return { blocked }
}

test('a silent thread is replaced and its successor has the configuration', async () => {
  const { control, url } = await startGateway(2)
  const { blocked } = await silenceOne(url)
  await control.publish([route('1')])
  assert.equal(await blocked, 'cut')
  assert.equal(control.status().restarts, 1)
  assert.deepEqual(await revisions(url, 2), [1, 1])
})

test('gateway finding 1: changes while a successor is held back end with one listener for each thread', async () => {
  const heldBack = new SharedArrayBuffer(4)
  const held = new Int32Array(heldBack)
  const { control, url, port } = await startGateway(2, heldBack)
  assert.equal(listenersOn(port), 2)
  Atomics.store(held, 0, 1)
  const { blocked } = await silenceOne(url)
  const published = [control.publish([route('1')])]
  assert.equal(await blocked, 'cut')
  assert.equal(listenersOn(port), 1, 'the successor is held back')
  // Twice as long as a thread may be silent: before, each of these replaced the starting one again.
  for (let n = 2; n <= 5; n++) {
    published.push(control.publish([route(String(n))]))
    await delay(1_000)
  }
  await control.forget(null)
  Atomics.store(held, 0, 0)
  Atomics.notify(held, 0)
  assert.deepEqual(await Promise.all(published), [1, 2, 3, 4, 5])
  assert.deepEqual(await revisions(url, 2), [5, 5])
  for (let n = 0; n < 40; n++) {
    const answer = await fetch(url, { headers: { connection: 'close' } })
    await answer.text()
    assert.equal(answer.headers.get('x-test-revision'), '5')
  }
  assert.equal(listenersOn(port), 2)
  assert.equal(control.status().restarts, 1)
})

test('gateway 33: changes while a successor starts cost it no compilation of everything each', async () => {
  const heldBack = new SharedArrayBuffer(4)
  const held = new Int32Array(heldBack)
  const { control, url } = await startGateway(1, heldBack)
  await control.publish(dear(400))
  Atomics.store(held, 0, 1)
  await fetch(url, { headers: { 'x-test-die': '1' } }).catch(() => 'cut')
  await until(() => control.status().listening === 0)
  // The worker is there and does not listen to what is posted yet.
  await delay(1_000)
  const published = Array.from({ length: 20 }, (_, n) => control.publish([route(`late-${n}`)]))
  Atomics.store(held, 0, 0)
  Atomics.notify(held, 0)
  await Promise.all(published)
  const nextMs = await tookMs(control.publish([route('next')]))
  const allMs = await tookMs(control.publish(dear(400)))
  assert.ok(nextMs < 5 * allMs, `${nextMs} ms for one object, ${allMs} ms for all`)
  assert.deepEqual(await revisions(url, 1), [23])
})

test('threads that have answered are not silent when the one that asks was held up', async () => {
  const { control, url } = await startGateway(2)
  const { promise: published, resolve } = Promise.withResolvers<unknown>()
  // Between listening and looking at the clock: there nothing that the threads say is heard.
  setImmediate(() => {
    resolve(Promise.all([control.publish([route('1')]), control.forget(null)]))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500)
  })
  await published
  assert.equal(control.status().restarts, 0)
  assert.deepEqual(await revisions(url, 2), [1, 1])
})
