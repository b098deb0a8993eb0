import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, type TestContext, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { sqliteFiles } from '#db'
import { random } from '#kernel'
import { eachDatabase, openTestDatabase, silentLog, type TestDatabase, until } from '#test-kit'
import { anyOf, createLookout, type Question } from '../../src/kernel/jobs/lookout.ts'
import { addJobs, createJobs, type JobTables } from './children/jobs.ts'

const EVERY_MS = 5
/** After so many without a commit answers are kept. */
const QUIET_LOOKS = 40

async function asAnotherProgram({ settings }: TestDatabase, text: string) {
  if (settings.url === undefined) {
    const file = new DatabaseSync(sqliteFiles(settings.dataDir).main)
    file.exec(text)
    return file.close()
  }
  const client = new pg.Client(settings.url)
  await client.connect()
  await client.query(text)
  await client.end()
}

eachDatabase('a lookout', (kind) => {
  const opened = openTestDatabase(kind).then(async (test) => {
    await createJobs(test.database)
    return test
  })
  beforeEach(async () => {
    const { database, clock } = await opened
    clock.setOffset(0)
    await database.main.writer.deleteFrom('jobs').execute()
  })

  async function start(t: TestContext) {
    const { database, clock } = await opened
    const jobs: Kysely<JobTables> = database.main.reader
    const lookout = createLookout({
      ...{ db: database, clock, log: silentLog, random, everyMs: EVERY_MS },
    })
    t.after(lookout.stop)
    const ticks = counting()
    lookout.watch(() => sql`1`)(ticks.wake)
    const due: Question = (nowMs) => anyOf(jobs.selectFrom('jobs').where('due_at', '<=', nowMs))
    return { database, clock, jobs, due, looks, ...lookout }

    /** So many looks later. */
    async function looks(count = 3) {
      const from = ticks.times
      await until(() => ticks.times >= from + count)
    }
  }

  /** Counts how often it is woken. */
  function counting() {
    const woken = { times: 0, wake: () => void woken.times++ }
    return woken
  }

  test('wakes whose question has an answer, as often as it has, and nobody else', async (t) => {
    const { database, due, looks, watch } = await start(t)
    const [busy, idle] = [counting(), counting()]
    watch(due)(busy.wake)
    watch(() => sql`null`)(idle.wake)
    await looks()
    assert.deepEqual([busy.times, idle.times], [0, 0])
    await addJobs(database, 1, 1)
    await until(() => busy.times > 2)
    assert.equal(idle.times, 0)
  })

  test('notices that the time has come, by the clock and by that of the database', async (t) => {
    const { database, clock, jobs, due, looks, watch } = await start(t)
    const [byClock, byDatabase] = [counting(), counting()]
    watch(due)(byClock.wake)
    watch(() => anyOf(jobs.selectFrom('jobs').where('due_at', '<=', database.dialect.nowMs())))(
      byDatabase.wake,
    )
    await addJobs(database, 1, 1, clock.now() + 60_000)
    await looks()
    assert.deepEqual([byClock.times, byDatabase.times], [0, 0])
    clock.setOffset(61_000)
    await until(() => byClock.times > 0 && byDatabase.times > 0)
  })

  test('asks one statement, however many there are, and not for those who left', async (t) => {
    const { database, due, watch } = await start(t)
    await addJobs(database, 1, 1)
    const all = Array.from({ length: 12 }, counting)
    const ends = all.map(({ wake }) => watch(due)(wake))
    await until(() => all.every(({ times }) => times > 0))
    const [first] = all
    const [asked, times] = [database.main.asked(), first?.times ?? 0]
    await until(() => (first?.times ?? 0) >= times + 5)
    const looked = (first?.times ?? 0) - times
    const statements = database.main.asked() - asked
    // One is under way, and one asks for later as soon as nobody has committed for a while.
    assert.ok(statements <= looked + 2, `${statements} statements for ${looked} looks`)

    for (const end of ends.slice(1)) end()
    const before = all.map((each) => each.times)
    await until(() => (first?.times ?? 0) > (before[0] ?? 0) + 2)
    assert.deepEqual(
      all.slice(1).map((each) => each.times),
      before.slice(1),
    )
  })

  test('hears of rows that another program wrote, and of their time', async (t) => {
    const { database, clock, due, looks, watch } = await start(t)
    const woken = counting()
    watch(due)(woken.wake)
    await looks(QUIET_LOOKS)
    await asAnotherProgram(await opened, `insert into jobs (id, due_at) values (1, ${clock.now()})`)
    await until(() => woken.times > 0, { withinMs: 20_000 })

    await database.main.writer.deleteFrom('jobs').execute()
    await asAnotherProgram(
      await opened,
      `insert into jobs (id, due_at) values (2, ${clock.now() + 1_000})`,
    )
    await looks()
    woken.times = 0
    await looks(QUIET_LOOKS)
    await until(() => woken.times > 0, { withinMs: 20_000 })
  })

  // Of PostgreSQL only a statement tells.
  if (kind === 'sqlite') {
    test('where a statement is not needed to know that nothing was written, asks none', async (t) => {
      const { database, due, looks, watch } = await start(t)
      watch(due)(() => {})
      await looks(QUIET_LOOKS)
      const asked = database.main.asked()
      await looks(QUIET_LOOKS)
      assert.ok(database.main.asked() - asked <= 2, `${database.main.asked() - asked} statements`)
    })
  }

  test('lets who watches decide by the answer itself', async (t) => {
    const { database, jobs, looks, watch } = await start(t)
    let seen = 0
    const woken = counting()
    const last = () => jobs.selectFrom('jobs').select(({ fn }) => fn.max('id').as('last'))
    watch(last, (answer) => Number(answer) !== seen)(woken.wake)
    await addJobs(database, 7, 1)
    await until(() => woken.times > 0)
    seen = 7
    await looks()
    const { times } = woken
    await looks()
    assert.equal(woken.times, times)
  })
})
