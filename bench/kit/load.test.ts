import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measure, parseAutocannon, parseWrk } from './load.ts'

const WRK = `Running 4s test @ http://127.0.0.1:8080/
  1 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   635.91us    0.89ms  12.92ms   93.69%
    Req/Sec    56.20k     8.07k   62.00k    86.54%
  Latency Distribution
     50%  250.00us
     75%  491.00us
     90%  700.00us
     99%    5.80ms
  224646 requests in 4.00s, 17.76MB read
Requests/sec:  56161.50
Transfer/sec:      4.44MB
`

test('the report of wrk is read with its units', () => {
  assert.deepEqual(parseWrk(WRK), { perSecond: 56161.5, p50Ms: 0.25, p99Ms: 5.8 })
})

test('what was asked up before the time was over is measured by its own time', () => {
  const { perSecond } = parseWrk(`${WRK}All asked: 500 in 250000us\n`)
  assert.equal(perSecond, 2_000)
})

test('one failed request makes a measurement worthless', () => {
  const refused = `${WRK}  Non-2xx or 3xx responses: 3\n`
  const broken = `${WRK}  Socket errors: connect 0, read 2, write 0, timeout 0\n`
  const sound = `${WRK}  Socket errors: connect 0, read 0, write 0, timeout 0\n`
  assert.throws(() => parseWrk(refused), /requests failed under load/)
  assert.throws(() => parseWrk(broken), /requests failed under load/)
  assert.equal(parseWrk(sound).perSecond, 56161.5)
  assert.throws(() => parseWrk(''), /reported no requests/)
  assert.throws(() => parseAutocannon(cannon({ non2xx: 1 })), /requests failed/)
})

test('the report of autocannon is read alike', () => {
  assert.deepEqual(parseAutocannon(cannon({})), { perSecond: 1000, p50Ms: 1, p99Ms: 9 })
})

test('only this machine is put under load, and not for long', async () => {
  const load = { url: 'http://example.org/', connections: 1, seconds: 1 }
  await assert.rejects(measure('wrk', load), /example\.org is not this machine/)
  const long = { url: 'http://127.0.0.1/', connections: 1, seconds: 600 }
  await assert.rejects(measure('wrk', long), /from 1 to 60 seconds/)
  const few = { ...load, url: 'http://127.0.0.1/', paths: ['/'] }
  await assert.rejects(measure('wrk', few), /too few questions/)
})

function cannon(changes: object): string {
  const report = {
    requests: { average: 1000 },
    latency: { p50: 1, p99: 9 },
    errors: 0,
    timeouts: 0,
    non2xx: 0,
  }
  return JSON.stringify({ ...report, ...changes })
}
