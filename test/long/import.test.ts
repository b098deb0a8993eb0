import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  ADMIN_KEY,
  createCalls,
  eachDatabase,
  installation,
  runEntrepot,
  startServer,
  temporaryDirectory,
} from '#test-kit'

const COUNT = Number(process.env['COUNT'] ?? 20_000)
/** On a quiet machine it is below 20 ms (bench/writes); here others may be at work. */
const MOST_MS = 100
/** Processor time of the server for a record: about a quarter of it on a quiet machine, on a busy one up to half. */
const MOST_CPU_US = 1_000
const TICKS_A_SECOND = 100

eachDatabase('an import beside other requests', (kind) => {
  test(`scale writes: ${COUNT} records are imported, and /health answers meanwhile`, async (t) => {
    const settings = { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_STARTER: 'types' }
    const server = await startServer(await installation(kind, settings))
    const calls = createCalls(() => server.url)
    const file = join(temporaryDirectory(), 'articles.ndjson')
    const lines = Array.from({ length: COUNT }, (_, n) => JSON.stringify({ title: `Import ${n}` }))
    writeFileSync(file, lines.join('\n'))
    const usedUs = cpuUsOf(server.pid)
    const startedMs = performance.now()
    const importing = runEntrepot(['import', 'articles', file], {
      ENTREPOT_CLI_URL: server.url,
      ENTREPOT_CLI_KEY: ADMIN_KEY,
    })
    const tookMs = await healthUntil(importing)
    const { code, output } = await importing
    const seconds = (performance.now() - startedMs) / 1_000
    const cpuUs = (cpuUsOf(server.pid) - usedUs) / COUNT
    assert.equal(code, 0, output)
    assert.match(output, new RegExp(`^${COUNT} created`, 'm'))
    const { meta } = await calls.ok('GET', '/api/v1/articles?per_page=1')
    assert.equal(meta.total, COUNT)
    const p99Ms = tookMs.toSorted((a, b) => a - b)[Math.floor((tookMs.length - 1) * 0.99)] ?? 0
    const rate = `${(COUNT / seconds).toFixed(0)} records a second`
    t.diagnostic(`${rate}, ${cpuUs.toFixed(0)} µs of processor each, p99 ${p99Ms.toFixed(1)} ms`)
    assert.ok(cpuUs < MOST_CPU_US, `a record took ${cpuUs} µs of processor`)
    assert.ok(p99Ms < MOST_MS, `p99 of /health was ${p99Ms} ms`)

    async function healthUntil(over: Promise<unknown>): Promise<number[]> {
      const times: number[] = []
      let isOver = false
      void over.finally(() => {
        isOver = true
      })
      while (!isOver) {
        const sentMs = performance.now()
        await (await fetch(`${server.url}/health`)).arrayBuffer()
        times.push(performance.now() - sentMs)
      }
      return times
    }
  })
})

/** Of all threads of a process so far. */
function cpuUsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')'))
    .split(' ')
    .slice(12, 14)
    .map(Number)
  return ((user + system) / TICKS_A_SECOND) * 1_000_000
}
