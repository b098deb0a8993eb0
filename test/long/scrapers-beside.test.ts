import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  ADMIN_KEY,
  createCalls,
  eachDatabase,
  freePort,
  installation,
  needPrograms,
  startServer,
  tell,
  until,
} from '#test-kit'
import { LOOPBACK, scraping } from '../contract/scrapers/support.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 9)
const ROUND_S = 3
/** Fixed, so that the API has as much to do with and without a crawl beside it. */
const ASKED_PER_SECOND = 100
const CLIENTS = 10
const run = promisify(execFile)
const SITE = fileURLToPath(new URL('../kit/article-site.ts', import.meta.url))

eachDatabase('content beside a crawl', (kind) => {
  test('scrapers §3: a running crawl raises the p99 of the content API by less than a half', async (t) => {
    needPrograms('h2load')
    const tmp = await mkdtemp(join(tmpdir(), 'entrepot-beside-'))
    after(() => rm(tmp, { recursive: true }))
    const site = await startArticles()
    const server = await startServer(
      await installation(kind, {
        ENTREPOT_ADMIN_KEY: ADMIN_KEY,
        ENTREPOT_STARTER: 'types',
        ...LOOPBACK,
      }),
    )
    const api = scraping(() => server.url)
    const calls = createCalls(() => server.url)
    for (let number = 0; number < 50; number++) {
      const body = { title: `Article ${number}`, body: 'text '.repeat(200) }
      await calls.ok('POST', '/api/v1/articles', { body })
    }
    const id = await api.create({
      ...{ url: site, rate_limit: 20 },
      crawl: { max_pages: 1_000_000, max_depth: 100, concurrency: 16 },
    })
    // Code is compiled and the crawling thread started before anything is measured.
    await measure()
    await besideCrawl()
    const alone: number[] = []
    const beside: number[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      // Both halves of a round, one right after the other, share what else the machine does.
      const pair = { alone: await measure(), beside: await besideCrawl() }
      alone.push(pair.alone)
      beside.push(pair.beside)
      const shown = `p99 ${pair.alone.toFixed(1)} ms alone, ${pair.beside.toFixed(1)} ms beside`
      tell(`round ${round} of ${ROUNDS}: ${shown}`)
    }
    const ratio = median(beside.map((ms, round) => ms / (alone[round] ?? 0)))
    const told = `${median(alone).toFixed(1)} ms alone, ${median(beside).toFixed(1)} ms beside`
    t.diagnostic(`${told}; beside / alone, median of the rounds: ${ratio.toFixed(2)}`)
    assert.ok(ratio < 1.5, `${ratio.toFixed(2)} times; ${told}`)

    async function besideCrawl(): Promise<number> {
      const runId = await api.start(id)
      const collected = async () => (await api.ok('GET', `/scrapers/${id}/status`)).items_count
      await until(async () => (await collected()) > 0, { what: 'the first page' })
      const before = await collected()
      const p99Ms = await measure()
      assert.ok((await collected()) > before, 'the crawl was running')
      await api.ok('POST', `/scrapers/${id}/stop`)
      await api.finished(id, runId)
      return p99Ms
    }

    /**
     * The p99 of lists, a request sent whenever its moment has come, by a small program without a heap to
     * collect: what waits inside the one that measures would count as the server's.
     */
    async function measure(): Promise<number> {
      const log = join(tmp, 'requests.tsv')
      await rm(log, { force: true })
      const pages = [1, 2, 3, 4, 5].map(
        (page) => `${server.url}/api/v1/articles?per_page=10&page=${page}`,
      )
      const pace = ['--h1', `-c${CLIENTS}`, `--rps=${ASKED_PER_SECOND / CLIENTS}`, `-D${ROUND_S}`]
      await run('h2load', [...pace, `--log-file=${log}`, `-Hx-api-key: ${ADMIN_KEY}`, ...pages])
      const lines = (await readFile(log, 'utf8')).trim().split('\n')
      const requests = lines.map((line) => line.split('\t').map(Number))
      for (const [, status] of requests) assert.equal(status, 200)
      assert.ok(requests.length >= ASKED_PER_SECOND * ROUND_S * 0.9, `${requests.length} requests`)
      const timesMs = requests.map(([, , micros = 0]) => micros / 1_000).sort((a, b) => a - b)
      return timesMs[Math.floor(timesMs.length * 0.99)] ?? 0
    }
  })
})

/** Pages as newspapers have them, served by another process than the one that measures. */
async function startArticles(): Promise<string> {
  const port = await freePort()
  const child = spawn(process.execPath, [SITE, String(port), '2000'], { stdio: 'ignore' })
  after(() => void child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}/`
  const answers = () => fetch(`${url}pages`).then(({ ok }) => ok)
  await until(() => answers().catch(() => false), { what: 'the site', withinMs: 60_000 })
  return url
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
