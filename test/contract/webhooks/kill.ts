import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type DatabaseKind, installation, startServer, until } from '#test-kit'
import { startReceiver } from './receiver.ts'
import { ADMIN_KEY, caller, LOOPBACK } from './support.ts'

const PUBLISHERS = 4
/** A little longer than any lease. */
const LEASE_MS = 31_000
const PATHS = ['/a', '/b', '/c']

const ENV = {
  ENTREPOT_ADMIN_KEY: ADMIN_KEY,
  ENTREPOT_ROLES: 'api,worker',
  // A slow machine may let an attempt time out; its next one shall not be minutes away.
  ENTREPOT_WEBHOOKS_RETRY_SCHEDULE: '2,2,2,2,2,2,2,2,2',
  ...LOOPBACK,
}

interface Killed {
  readonly kills: number
  readonly events: number
}

/** A file for each database, because starting a server again and again takes its time. */
export function killedServer(kind: DatabaseKind, { kills, events }: Killed): void {
  test(`webhooks 13: ${kills} SIGKILLs with ${events} events in flight lose nothing (${kind})`, async (t) => {
    const receiver = await startReceiver()
    const server = await startServer(await installation(kind, ENV))
    const { subscribe, publish, deliveries } = caller(() => server.url)
    const ids: string[] = []
    for (const path of PATHS) ids.push((await subscribe(receiver.url + path)).id)
    const published = new Set<string>()
    let down: Promise<void> | null = null

    async function publisher() {
      while (published.size < events) {
        if (down) await down
        const event = await publish({ n: published.size }).catch(() => undefined)
        if (event) published.add(event.id)
        else await delay(5)
      }
    }
    /** Where several processes share a database what a dead one held is free when its lease ends. */
    async function restart(kill: number) {
      await server.restart()
      await server.setClockOffset(kill * LEASE_MS)
    }
    const load = Array.from({ length: PUBLISHERS }, publisher)
    for (let kill = 1; kill <= kills; kill++) {
      const mark = (kill * events) / (kills + 1)
      await until(() => published.size >= mark, { withinMs: 120_000 })
      await server.kill()
      down = restart(kill)
      await down
      down = null
    }
    await Promise.all(load)
    for (const [at, path] of PATHS.entries()) {
      const hasAll = () => {
        const arrived = new Set(receiver.on(path).map(({ headers }) => headers['webhook-id']))
        return published.isSubsetOf(arrived)
      }
      await until(hasAll, { withinMs: 120_000, what: `every event on ${path}` })
      const id = ids[at] ?? ''
      await until(async () => (await deliveries(id, '?status=pending')).meta.total === 0, {
        withinMs: 60_000,
        what: 'nothing pending',
      })
      const sequences = new Set(receiver.on(path).map(({ body }) => body.sequence))
      assert.equal(Math.max(...sequences), sequences.size, 'numbers have no gaps')
      const all = await deliveries(id, '?is_test=false&per_page=1')
      const done = await deliveries(id, '?is_test=false&status=succeeded&per_page=1')
      assert.equal(done.meta.total, all.meta.total)
      assert.equal(all.meta.total, sequences.size)
      const repeated = receiver.on(path).length - sequences.size
      t.diagnostic(`${path}: ${sequences.size} events, ${repeated} sent twice at the kills`)
    }
  })
}
