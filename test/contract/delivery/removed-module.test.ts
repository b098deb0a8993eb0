import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  ADMIN_KEY,
  createCalls,
  eachDatabase,
  installation,
  runBeside,
  startServer,
  type TestServer,
  temporaryDirectory,
  until,
} from '#test-kit'
import { CONTENT } from './support.ts'

const NOTES = 150
const HOUR_MS = 3_600_000
/** Takes its time, so that the index is still being built when somebody looks. */
const MODULE = `export const letters = {
  fields: () => [{ fieldName: 'firstLetter', fieldType: 'StringRaw' }],
  async values({ name }) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    return [{ fieldName: 'firstLetter', values: [name.slice(0, 1)] }]
  },
}
`

eachDatabase('index modules that are taken away', (kind) => {
  test('delivery 18: one that is removed while its index is built leaves nothing, and builds it whole when it is back', async () => {
    const file = join(temporaryDirectory(), 'letters.js')
    writeFileSync(file, MODULE)
    const without = await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
    const having = { ...without, ENTREPOT_INDEX_MODULES: file }
    const path = `${CONTENT}?filter=firstLetter:N&take=1`

    const first = await startServer(having)
    const { call, data } = createCalls(() => first.url)
    const body = {
      ...{ singularName: 'note', pluralName: 'notes' },
      attributes: { name: { type: 'string' } },
    }
    await data('POST', '/api/v1/content-types', { body })
    const operations = Array.from({ length: NOTES }, () => ({ op: 'create', data: { name: 'N' } }))
    await data('POST', '/api/v1/notes/bulk', { body: { operations } })
    const some = await until(async () => (await saidOf(first)) || undefined, { what: 'a part' })
    await first.kill()
    assert.ok(some < NOTES, `${some} of ${NOTES} were indexed before anybody could look`)

    const second = await startServer(without)
    const refused = await call('GET', path)
    assert.equal(refused.status, 400, 'a field that nobody knows')
    assert.match(JSON.stringify(refused.body), /firstLetter/)
    assert.equal((await call('GET', `${CONTENT}?take=0`)).body.total, NOTES)
    await data('PATCH', '/api/v1/notes/1', { body: { name: 'Other' } })
    await second.setClockOffset(HOUR_MS + 1)
    await until(async () => (await saidOf(second)) === 0 || undefined, { what: 'an empty index' })
    await second.kill()

    await startServer(having)
    const totals: number[] = []
    const isThere = async () => {
      const { status, body: list } = await call('GET', path)
      assert.ok(status === 200 || status === 503, `${status}`)
      if (status === 200) totals.push(list.total)
      return status === 200
    }
    await until(isThere, { withinMs: 60_000, what: 'the whole index' })
    assert.deepEqual(totals, [NOTES - 1])
  })
})

/** Of how many entries the database holds what a module said: no interface tells. */
async function saidOf(server: TestServer): Promise<number> {
  const [row] = await runBeside(server, 'select count(*) as count from content_index_copies')
  return Number(row?.['count'])
}
