import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, startPair, testRedis, until } from '#test-kit'
import { caller } from './support.ts'

const DAY_MS = 86_400_000
const AGE_MS = 91 * DAY_MS

test('access 20: on two nodes with Redis, deleting old records leaves month, series and invoice', async () => {
  const { url, prefix } = testRedis()
  const redis = { ENTREPOT_REDIS_URL: url, ENTREPOT_REDIS_PREFIX: prefix }
  const pair = await startPair({ ENTREPOT_ADMIN_KEY: ADMIN_KEY, ...redis })
  const [first, second] = pair.map((node) => caller(() => node.url))
  assert.ok(first && second)
  const setClocks = (offsetMs: number) =>
    Promise.all(pair.map((node) => node.setClockOffset(offsetMs)))

  await setClocks(-AGE_MS)
  const at = new Date(Date.now() - AGE_MS).toISOString()
  const { id, key } = await first.issueKey()
  for (const { call } of [first, second, first, second, first]) {
    await until(async () => (await call('GET', '/plans', { key })).status === 200)
  }
  const isOld = ({ created_at }: { created_at: string }) => created_at.startsWith(at.slice(0, 10))
  const recordsOf = async () => {
    const records = await second.data('GET', `/usage/records?key_id=${id}&per_page=100`)
    return records.filter(isOld).length
  }
  const look = async () => ({
    days: await first.data('GET', `/usage/series?interval=day&from=${at.slice(0, 10)}`, { key }),
    invoice: await second.data('GET', `/usage/invoice?month=${at.slice(0, 7)}`, { key }),
  })
  const sumOf = (days: { requests: number }[]) =>
    days.reduce((sum, { requests }) => sum + requests, 0)
  const monthThen = async () => (await first.data('GET', '/usage', { key })).month
  const served = await until(async () => {
    const month = await monthThen()
    return month >= 5 && (await recordsOf()) >= month && month
  })

  await setClocks(0)
  // Sums may be a moment behind the records (access finding 4), each of the two for itself.
  const before = await until(async () => {
    const shown = await look()
    return shown.invoice.requests === served && sumOf(shown.days) === served && shown
  })
  for (const node of pair) node.signal('SIGTERM')
  await Promise.all(pair.map((node) => node.exited()))
  await Promise.all(pair.map((node) => node.restart()))
  await until(async () => (await recordsOf()) === 0, { withinMs: 30_000 })

  assert.deepEqual(await look(), before)
  assert.ok(JSON.stringify(before.days).includes(`${served}`))
  await setClocks(-AGE_MS)
  assert.equal(await monthThen(), served)
})
