import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { attachDatabase, type Database } from '#db'
import { random } from '#kernel'
import { eachDatabase, openTestDatabase, silentLog, until } from '#test-kit'
import { createClaims } from '../../src/kernel/jobs/claim.ts'
import { addJobs, createJobs, type JobTables, nextJobs } from './children/jobs.ts'
import { startChild } from './children/run.ts'

const CLAIM = new URL('./children/claim.ts', import.meta.url)

const TEN = { limit: 10, leaseMs: 60_000 }

eachDatabase('claiming', (kind) => {
  const opened = openTestDatabase(kind).then(async (test) => {
    await createJobs(test.database)
    return test
  })
  beforeEach(async () => {
    const { database, clock } = await opened
    clock.setOffset(0)
    await database.main.writer.deleteFrom('jobs').execute()
  })

  test('due rows come in their order, others not at all', async () => {
    const { database, clock } = await opened
    await addJobs(database, 1, 3)
    await addJobs(database, 4, 2, clock.now() + 30_000)
    const claim = await claimer(database, 'a').claim(nextJobs(TEN))
    assert.deepEqual(idsOf(claim), [1, 2, 3])
    clock.setOffset(30_010)
    assert.deepEqual(idsOf(await claimer(database, 'a').claim(nextJobs(TEN))), [4, 5])
  })

  test('a claimed row says who holds it until when', async () => {
    const { database, clock } = await opened
    await addJobs(database, 1, 1)
    const { rows, holder } = await claimer(database, 'a').claim(nextJobs(TEN))
    const stored = await all(database)
    assert.deepEqual(rows, stored)
    assert.equal(stored[0]?.lease_owner, holder)
    assert.match(holder, /^a\/\w+$/)
    const leftMs = (stored[0]?.lease_until ?? 0) - clock.now()
    assert.ok(leftMs <= 60_000 && leftMs > 45_000, `${leftMs}`)
  })

  test('a claimed row is not claimed again before its lease ends, then it is', async () => {
    const { database, clock } = await opened
    await addJobs(database, 1, 20)
    const mine = claimer(database, 'a')
    assert.equal((await mine.claim(nextJobs(TEN))).rows.length, 10)
    assert.equal((await mine.claim(nextJobs(TEN))).rows.length, 10)
    assert.deepEqual(idsOf(await mine.claim(nextJobs(TEN))), [])
    clock.setOffset(60_010)
    assert.equal((await mine.claim(nextJobs(TEN))).rows.length, 10)
  })

  test('a lease that is renewed goes on, one that is released is free at once', async () => {
    const { database, clock } = await opened
    await addJobs(database, 1, 3)
    const mine = claimer(database, 'a')
    const claim = await mine.claim(nextJobs(TEN))
    clock.setOffset(50_000)
    assert.deepEqual((await claim.renew([1, 2])).sort(), [1, 2])
    clock.setOffset(70_000)
    const second = await mine.claim(nextJobs(TEN))
    assert.deepEqual(idsOf(second), [3])
    await claim.release([1])
    assert.deepEqual(idsOf(await mine.claim(nextJobs(TEN))), [1])
  })

  test('who lost a row can neither renew nor release it', async () => {
    const { database, clock } = await opened
    await addJobs(database, 1, 1)
    const mine = claimer(database, 'a')
    const late = await mine.claim(nextJobs(TEN))
    clock.setOffset(60_010)
    const successor = await mine.claim(nextJobs(TEN))
    assert.deepEqual(await late.renew([1]), [])
    await late.release([1])
    assert.equal((await all(database))[0]?.lease_owner, successor.holder)
  })

  test('the rows of another process are free at once only where there can be none', async () => {
    const { database } = await opened
    await addJobs(database, 1, 2)
    await claimer(database, 'before').claim(nextJobs(TEN))
    const found = idsOf(await claimer(database, 'after').claim(nextJobs(TEN)))
    assert.deepEqual(found, database.dialect.singleProcess ? [1, 2] : [])
  })

  test('four connections that claim 1,000 rows at once get each row once', async () => {
    const started = await opened
    await addJobs(started.database, 1, 1_000)
    const connections = await Promise.all(
      [1, 2, 3, 4].map(() =>
        attachDatabase(started.connect().address, { clock: started.clock, log: silentLog }),
      ),
    )
    const shares = await Promise.all(connections.map((each) => claimAll(each)))
    await Promise.all(connections.map((each) => each.close()))
    assertEachOnce(shares, 1_000)
  })
})

test('four processes that claim 1,000 rows at once get each row once', async () => {
  const { database, settings } = await openTestDatabase('postgres')
  await createJobs(database)
  await addJobs(database, 1, 1_000)
  const children = ['a', 'b', 'c', 'd'].map((owner) =>
    startChild(CLAIM, { settings, owner, leaseMs: 60_000 }),
  )
  await Promise.all(children.map((child) => child.line()))
  for (const child of children) child.go()
  const shares = await Promise.all(children.map(async (child) => claimedBy(await child.ended())))
  assertEachOnce(shares, 1_000)
})

test('the rows of a killed process are claimable when their lease ends, not before', async () => {
  const { database, settings, clock } = await openTestDatabase('postgres')
  await createJobs(database)
  await addJobs(database, 1, 12)
  const child = startChild(CLAIM, { settings, owner: 'a', leaseMs: 30_000, slow: true })
  await child.line()
  child.go()
  await until(() => claimedBy(child.lines).length === 10)
  await child.kill()

  assert.deepEqual(idsOf(await claimer(database, 'b').claim(nextJobs(TEN))), [11, 12])
  clock.setOffset(30_010)
  assert.equal((await claimer(database, 'b').claim(nextJobs(TEN))).rows.length, 10)
})

test('the rows of a killed process are claimable at once on a database of one process', async () => {
  const before = await openTestDatabase('sqlite')
  await createJobs(before.database)
  await addJobs(before.database, 1, 12)
  await before.stop()
  const { settings } = before
  const child = startChild(CLAIM, { settings, owner: 'a', leaseMs: 30_000, slow: true })
  await child.line()
  child.go()
  await until(() => claimedBy(child.lines).length === 10)
  await child.kill()

  const { database } = await openTestDatabase('sqlite', settings)
  const found = await claimer(database, 'b').claim(nextJobs({ limit: 20, leaseMs: 1_000 }))
  assert.equal(found.rows.length, 12)
})

function claimer({ main: store, dialect }: Database, owner: string) {
  return createClaims<JobTables>({ store, dialect, owner, random })
}

async function claimAll(database: Database): Promise<number[]> {
  const mine = claimer(database, 'a')
  const ids: number[] = []
  for (;;) {
    const found = idsOf(await mine.claim(nextJobs(TEN)))
    if (found.length === 0) return ids
    ids.push(...found)
  }
}

function assertEachOnce(shares: number[][], count: number) {
  const ids = shares.flat().sort((a, b) => a - b)
  assert.deepEqual(
    ids,
    Array.from({ length: count }, (_, i) => i + 1),
  )
  for (const share of shares) assert.ok(share.length > 0, 'one of them got nothing')
}

function idsOf({ rows }: { rows: readonly { id: number }[] }): number[] {
  return rows.map((row) => row.id)
}

function claimedBy(lines: readonly string[]): number[] {
  return lines.filter((line) => line !== 'ready').flatMap((line): number[] => JSON.parse(line))
}

async function all({ main }: Database) {
  return main.reader.selectFrom('jobs').selectAll().orderBy('id').execute()
}
