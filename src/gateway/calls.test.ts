import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { test } from 'node:test'
import { createCalls } from './calls.ts'

test('gateway 26: what is known of a provider that is away outlasts any number of renewed sessions', async (t) => {
  const provider = http.createServer((request, response) => {
    request.resume()
    response.end(request.url)
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const address = provider.address()
  assert.ok(address !== null && typeof address === 'object')
  let nowMs = 0
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const calls = createCalls({ clock: { now: () => nowMs }, log })
  t.after(() => calls.close())
  const origin = `http://127.0.0.1:${address.port}`
  const usual = { headers: {}, timeoutMs: 5_000, verifyTls: true }
  const describe = () =>
    calls.call({
      ...{ ...usual, url: `${origin}/description`, method: 'GET', body: null },
      ...{ maxAgeMs: 3_600_000, mayBeStale: true },
    })
  const renew = (n: number) =>
    calls.call({
      ...{ ...usual, url: `${origin}/token`, method: 'POST', body: `refresh_token=${n}` },
      ...{ maxAgeMs: 10_000, mayBeStale: false },
    })
  assert.equal((await describe()).ok, true)
  for (let n = 0; n < 1_100; n += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, at) => renew(n + at)))
  }
  provider.closeAllConnections()
  provider.close()
  nowMs = 2 * 3_600_000
  const again = await describe()
  assert.equal(again.ok && again.body, '/description')
})
