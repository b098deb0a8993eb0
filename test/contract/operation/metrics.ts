import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Family, parseExposition } from '#test-kit'
import type { OperationServer } from './support.ts'

/** What of the whole an operator watches, and that its names are as Prometheus wants them. */
export function metricsSuite({ data, call }: OperationServer): void {
  describe('metrics', () => {
    test('operation finding 22: refusals by limit and plan, journal, database, queues, disk, threads', async () => {
      const figures = { requests_per_month: 3, requests_per_minute: 100 }
      const plan = await data('POST', '/api/v1/plans', { body: { name: 'Three', ...figures } })
      const { key } = await data('POST', '/api/v1/keys', { body: { plan_id: plan.id } })
      const statuses: number[] = []
      for (let n = 0; n < 5; n++) {
        statuses.push((await call('GET', '/api/v1/articles', { key })).status)
      }
      assert.deepEqual(statuses, [200, 200, 200, 429, 429])
      const families = await readMetrics()
      assert.equal(sampleOf(families, 'access_refusals_total{limit="month",plan="Three"}'), 2)
      for (const name of [
        'journal_waiting_bytes',
        'journal_drain_lag_seconds',
        'disk_free_bytes',
      ]) {
        assert.ok(sampleOf(families, name) >= 0, name)
      }
      for (const kind of ['read', 'write']) {
        assert.ok(sampleOf(families, `database_seconds_total{kind="${kind}"}`) > 0, kind)
        assert.ok(sampleOf(families, `database_statements_total{kind="${kind}"}`) > 0, kind)
      }
      for (const queue of ['events', 'deliveries', 'bulks', 'runs']) {
        assert.ok(sampleOf(families, `queue_oldest_age_seconds{queue="${queue}"}`) >= 0, queue)
      }
      assert.ok(sampleOf(families, 'disk_used_bytes{part="logs"}') > 0)
      if (process.platform === 'linux') {
        for (const thread of ['worker', 'gateway-1']) {
          const name = `process_thread_cpu_seconds_total{thread="${thread}"}`
          assert.ok(sampleOf(families, name) > 0, name)
        }
      }
    })

    test('operation finding 22: names and types are as promtool wants them', async () => {
      const families = await readMetrics()
      assert.ok(families.size > 20)
      assert.deepEqual(
        [...families].flatMap(([name, family]) => faultsOf(name, family)),
        [],
      )
    })

    test('operation finding 22: what the gateway tells is in the format, its names are of its contract', async () => {
      const { status, body } = await call('GET', '/gateway/prometheus/metrics')
      assert.equal(status, 200)
      assert.ok(parseExposition(body).size > 5)
    })

    async function readMetrics() {
      const { status, body } = await call('GET', '/metrics')
      assert.equal(status, 200)
      return parseExposition(body)
    }
  })
}

function sampleOf(families: ReadonlyMap<string, Family>, sample: string): number {
  const [name = '', labels = ''] = sample.split(/[{}]/)
  const wanted = labels === '' ? [] : labels.split(',')
  const found = families.get(name)?.samples.find((each) => {
    const own = Object.entries(each.labels).map(([label, value]) => `${label}="${value}"`)
    return own.length === wanted.length && wanted.every((label) => own.includes(label))
  })
  assert.ok(found, `${sample} is not there`)
  return found.value
}

/** The rules of `promtool check metrics`. */
function faultsOf(name: string, { type, help }: Family): string[] {
  const faults: string[] = []
  const fault = (text: string) => faults.push(`${name}: ${text}`)
  if (help === '') fault('no help text')
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) fault('a name of lower case letters, digits and _')
  const isCounter = type === 'counter'
  if (isCounter && !name.endsWith('_total')) fault('counters end in _total')
  if (!isCounter && name.endsWith('_total')) fault('only counters end in _total')
  if (/_(count|sum|bucket)$/.test(name)) fault('endings of histograms are theirs')
  if (/(^|_)(counter|gauge|histogram|summary)(_|$)/.test(name)) fault('no type in a name')
  if (/_(ms|milliseconds|minutes|hours|kb|mb|kilobytes|megabytes|percent)(_total)?$/.test(name)) {
    fault('a base unit: seconds, bytes, ratio')
  }
  return faults
}
