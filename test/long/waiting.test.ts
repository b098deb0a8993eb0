import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { ADMIN_KEY, createCalls, installation, startServer, until } from '#test-kit'

const TYPE = {
  singularName: 'voyage',
  pluralName: 'voyages',
  attributes: { title: { type: 'string' } },
}
/** As many as PostgreSQL's readers take at a time. */
const AT_ONCE = 8
const CONNECTIONS = 10
const PATIENCE_MS = 30_000
const LONGER_MS = 90_000

// PostgreSQL: a lock lets searches take as long as the test wants.
test('scale: whoever has waited 30 s for a turn is refused with 503, and others are answered', async (t) => {
  const server = await startServer(
    await installation('postgres', {
      ENTREPOT_ADMIN_KEY: ADMIN_KEY,
      ENTREPOT_STORAGE_READ_TIMEOUT_MS: String(LONGER_MS),
      ENTREPOT_STORAGE_SCAN_TIMEOUT_MS: String(LONGER_MS),
    }),
  )
  const { call, ok } = createCalls(() => server.url)
  await ok('POST', '/api/v1/content-types', { body: TYPE })
  const client = new pg.Client({ connectionString: server.env['ENTREPOT_DATABASE_URL'] })
  await client.connect()
  t.after(() => client.end())
  await client.query('begin')
  const { rows } = await client.query(`select no from content_types where singular_name = 'voyage'`)
  await client.query(`lock table content_v${rows[0].no} in access exclusive mode`)

  // Two letters: no index serves them.
  const search = (n: number) => call('GET', `/api/v1/voyages?q=a${n}`)
  const searching = Array.from({ length: AT_ONCE }, (_, n) => search(n))
  const sentMs = performance.now()
  const refused = search(AT_ONCE)
  assert.equal((await call('GET', '/api/v1/keys')).status, 200)
  const { status, body, headers } = await refused
  const waitedMs = performance.now() - sentMs
  assert.deepEqual([status, body.error.code], [503, 'storage_unavailable'])
  assert.match(body.error.message, /Others are searching/)
  assert.ok(Number(headers.get('retry-after')) > 0)
  assert.ok(waitedMs >= PATIENCE_MS && waitedMs < LONGER_MS, `${waitedMs} ms`)
  // More than there are connections left.
  const reading = Array.from({ length: CONNECTIONS }, (_, n) =>
    call('GET', `/api/v1/voyages/${n + 1}`),
  )
  const late = await Promise.race(reading)
  assert.deepEqual([late.status, late.body.error.code], [503, 'storage_unavailable'])
  assert.match(late.body.error.message, /connections .* are in use/)

  await client.query('rollback')
  for (const answer of await Promise.all(searching)) assert.equal(answer.status, 200)
  for (const { status } of await Promise.all(reading)) assert.ok([404, 503].includes(status))
  assert.equal((await search(AT_ONCE)).status, 200)
  // Limits were kept; nothing has failed.
  await until(() => /"level":40.*"request refused"/.test(server.log()))
  assert.doesNotMatch(server.log(), /request failed/)
})
