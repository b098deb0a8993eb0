import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  ADMIN_KEY,
  createCalls,
  type DatabaseKind,
  eachDatabase,
  installation,
  startServer,
} from '#test-kit'
import { createKeyedRoutes, type KeyedRoute, TYPES } from './keyed-routes.ts'

/** A little longer than a key is held for a process that may be alive. */
const LEASE_MS = 61_000
const AGAIN_AFTER_MS = 20

/** One request that is sent until it is answered, and everything that was answered to it. */
interface Sent {
  readonly route: KeyedRoute
  readonly n: number
  readonly target: unknown
  readonly answers: { readonly text: string; readonly isReplayed: boolean }[]
}

/**
 * Every route that takes the header, all of them under way whenever the server is killed: what a request asks for
 * is there once, and it has one answer.
 */
export function killedKeys(kills: number): void {
  eachDatabase('requests with a key on a server that is killed', (kind) => {
    const name = `access 8a: on every route, what was under way at ${kills} SIGKILLs is done once`
    test(name, async (t) => {
      const { sent, again } = await run(kind, kills)
      t.diagnostic(`${sent} requests, sent again ${again} times, ${kills} kills`)
      assert.ok(again > 0, 'no request was under way at a kill')
    })
  })
}

async function run(kind: DatabaseKind, kills: number) {
  const server = await startServer(
    await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_ROLES: 'api' }),
  )
  const { ok } = createCalls(() => server.url)
  await ok('POST', '/api/v1/content-types/batch', { body: TYPES })
  const routes = await createKeyedRoutes(ok)
  const all: Sent[] = []
  let again = 0
  let isUp: Promise<unknown> = Promise.resolve()
  // Without a kill, to know how long it takes: kills are spread over that time.
  const { ms } = await round(0, undefined)
  for (let kill = 1; kill <= kills; kill++) await round(kill, ms * Math.random())
  for (const { route, n, target } of all) {
    const found = (await route.count?.(target, n)) ?? 1
    assert.equal(found, 1, `${route.name}: request ${n} was carried out ${found} times`)
  }
  return { sent: all.length, again }

  async function round(n: number, killAfterMs: number | undefined) {
    const targets = await Promise.all(routes.map((route) => route.prepare?.(n)))
    const batch: Sent[] = routes.map((route, at) => ({
      ...{ route, n, target: targets[at], answers: [] },
    }))
    all.push(...batch)
    const startMs = performance.now()
    const answered = Promise.all(batch.flatMap((one) => [untilAnswered(one), ...twin(one)]))
    if (killAfterMs !== undefined) {
      await delay(killAfterMs)
      isUp = killAndRestart(n)
      await isUp
    }
    await answered
    const ms = performance.now() - startMs
    await Promise.all(batch.filter(isKept).map(expectSame))
    return { ms }
  }

  /** Who asks meanwhile takes from the server what it needs to start. */
  async function killAndRestart(n: number) {
    await server.kill()
    await server.restart()
    await server.setClockOffset(n * LEASE_MS)
  }

  /** The same request at the same time; where answers are not kept it would be another one. */
  function twin(one: Sent) {
    return isKept(one) ? [untilAnswered(one)] : []
  }

  /** What was answered to any of them is answered from now on. */
  async function expectSame(one: Sent) {
    assert.ok(await send(one))
    const [first] = one.answers
    for (const { text } of one.answers) assert.equal(text, first?.text, one.route.name)
    assert.ok(one.answers.at(-1)?.isReplayed, one.route.name)
  }

  async function untilAnswered(one: Sent) {
    while (!(await send(one))) {
      again++
      await isUp
      await delay(AGAIN_AFTER_MS)
    }
  }

  async function send(one: Sent): Promise<boolean> {
    const { route, n, target } = one
    const { path, body, headers } = route.request(n, target)
    const key = { 'idempotency-key': `${route.name} ${n}`, 'x-api-key': ADMIN_KEY }
    const isText = typeof body === 'string'
    try {
      const answer = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers, ...key },
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (answer.status === 409 && text.includes('idempotency_in_progress')) return false
      if (answer.status >= 500) return false
      assert.equal(answer.status, route.status, `${route.name}: ${text}`)
      route.check?.(JSON.parse(text))
      const isReplayed = answer.headers.get('idempotent-replayed') === 'true'
      one.answers.push({ text, isReplayed })
      return true
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      return false
    }
  }
}

function isKept({ route }: Sent): boolean {
  return route.showsSecret !== true
}
