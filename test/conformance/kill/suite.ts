import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type DatabaseKind, emptyDatabase, freePort, openTestDatabase, until } from '#test-kit'
import { createClient } from './client.ts'
import type { ProgramSettings } from './program.ts'
import type { ProofTables } from './tables.ts'
import { KEYS, MONTH_LIMIT } from './usage.ts'
import { eventsRight, recordsRight, sumsRight } from './verdicts.ts'
import { startVictim } from './victim.ts'

const CONNECTIONS = 8

/** One file for each database runs this, because it takes long and they can run side by side. */
export function testKills(kind: DatabaseKind, kills: number): void {
  const name = `a process killed ${kills} times has one record for every answer, every event once, and its counters right (${kind})`
  test(name, async (t) => {
    const run = await createRun(kind, kills)
    await run.liveAndStop()
    for (let kill = 0; kill < kills; kill++) await run.liveAndDie(kill)
    await run.liveAndStop(run.monthEnds)
    await run.check(t)
  })
}

async function createRun(kind: DatabaseKind, kills: number) {
  const database = { ...(await emptyDatabase(kind)), readers: 1 }
  const settings: ProgramSettings = {
    database,
    port: await freePort(),
    figuresPort: await freePort(),
  }
  const client = createClient({ port: settings.port, keys: KEYS })
  const killed = { 'while it starts': 0, 'in a transaction of the drain': 0, 'in traffic': 0 }
  return { liveAndDie, liveAndStop, monthEnds, check }

  async function check(t: TestContext) {
    const { database: db } = await openTestDatabase(kind, database)
    t.diagnostic(`${kind}: killed ${JSON.stringify(killed)}`)
    for (const verdict of [recordsRight, sumsRight, eventsRight]) {
      t.diagnostic(await verdict(db, client))
    }
    assert.ok(client.unanswered.size <= kills * CONNECTIONS)
  }

  /** Every fifth life ends before it is ready, every fourth in a drain, the others anywhere. */
  async function liveAndDie(number: number) {
    const victim = startVictim(settings)
    if (number % 5 === 4) {
      await victim.reached(number % 2 === 0 ? 'opening' : 'draining')
      await delay(randomInt(number % 2 === 0 ? 250 : 30))
      await victim.kill()
      killed['while it starts']++
      return
    }
    await victim.reached('ready')
    client.start(CONNECTIONS)
    await delay(randomInt(100, 500))
    if (number % 4 === 0) {
      await victim.reached('transaction')
      await delay(randomInt(3))
      killed['in a transaction of the drain']++
    } else killed['in traffic']++
    await victim.kill()
    await client.stop()
  }

  /** An orderly life: counters are right both as they were rebuilt and after more traffic. */
  async function liveAndStop(traffic = () => delay(500)) {
    const victim = startVictim(settings)
    await victim.reached('ready')
    await expectCountersRight()
    client.start(CONNECTIONS)
    await traffic()
    await client.stop()
    await expectCountersRight()
    assert.equal(await victim.stop(), 0)
  }

  /** However little a slow machine did before. */
  async function monthEnds(): Promise<void> {
    const isRefused = ({ key, status }: { key: string; status: number }) =>
      key in MONTH_LIMIT && status === 429
    await until(() => [...client.answered.values()].some(isRefused))
  }

  async function expectCountersRight() {
    for (;;) {
      const figures = await readFigures()
      const again = await readFigures()
      if (figures.minute !== again.minute) continue
      const rolledUp = (key: string, unit: string) =>
        figures.rollUps.find((row) => row.key === key && row.unit === unit)
      for (const { key, month, minute } of figures.counts) {
        assert.equal(month, rolledUp(key, 'month')?.cost ?? 0, `month of ${key}`)
        assert.equal(minute, rolledUp(key, 'minute')?.count ?? 0, `minute of ${key}`)
      }
      return
    }
  }

  async function readFigures(): Promise<Figures> {
    const answer = await fetch(`http://127.0.0.1:${settings.figuresPort}/`)
    return JSON.parse(await answer.text())
  }
}

interface Figures {
  readonly minute: number
  readonly counts: readonly { key: string; month: number; minute: number }[]
  readonly rollUps: readonly ProofTables['proof_rollups'][]
}
