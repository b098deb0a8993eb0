import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Bench, BenchContext, Figure, Speed } from './kit/bench.ts'
import { freePort } from './kit/child.ts'
import { median } from './kit/compare.ts'
import { articleSeed } from './kit/content-seed.ts'
import { serverSpec } from './kit/entrepot.ts'
import { measure } from './kit/load.ts'
import { arePeersInstalled } from './kit/proxies.ts'

const ENTREPOT = 'entrepot'
const AUTOMATIC = 'entrepot, automatic extraction'
const OTHER = 'entrepot, other checkout'
const CRAWLEE = 'Crawlee CheerioCrawler'
const SCRAPY = 'Scrapy'

const ARTICLES = 2_000
const KEY = `sk_${'Bench0'.repeat(8)}`
const LIST = '/api/v1/articles?per_page=20'
/** So that the API has as much to do with and without a crawl beside it. */
const ASKED_PER_SECOND = 200
const ASKING = 8
/** A large crawl by one scraper, in requests a second. */
const BESIDE_RATE = 20

interface Crawled {
  readonly pages: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly memoryMb: number
}

interface Crawler {
  readonly what: string
  crawl(url: string): Promise<Crawled>
}

const scrapers: Bench = {
  name: 'scrapers',
  summary: `a site of ${ARTICLES} articles, title, text and links of each, against other crawlers`,
  async run(context) {
    const url = await startSite(context)
    const pages = Number(await (await fetch(`${url}pages`)).text())
    const crawlers = crawlersOf(context)
    const results = new Map<string, Crawled[]>(crawlers.map(({ what }) => [what, []]))
    for (let round = 1; round <= context.rounds; round++) {
      for (const { what, crawl } of crawlers) {
        context.say(`round ${round} of ${context.rounds}: ${what}`)
        const crawled = await crawl(url)
        if (crawled.pages !== pages) throw new Error(`${what}: ${crawled.pages} of ${pages} pages`)
        results.get(what)?.push(crawled)
      }
    }
    const speeds = [...results].map(([what, crawled]) => toSpeed(what, crawled))
    return {
      speeds,
      figures: [...comparisons(results), ...(await besideCrawl(context, url))],
    }
  },
}
export default scrapers

function crawlersOf(context: BenchContext): Crawler[] {
  const { root, than } = context
  const own = (checkout: string, mode: string) => (url: string) =>
    run(process.execPath, [join(checkout, 'bench/targets/crawl.ts'), url, mode], {
      // As bin/entrepot.mjs sets it for every thread.
      NODE_COMPILE_CACHE: join(checkout, 'node_modules/.cache/compiled'),
    })
  const crawlers: Crawler[] = [{ what: ENTREPOT, crawl: own(root, 'fields') }]
  if (than !== null) crawlers.push({ what: OTHER, crawl: own(than, 'fields') })
  if (arePeersInstalled(context)) {
    const program = join(root, 'bench/peers/crawlee.mjs')
    crawlers.push({
      what: CRAWLEE,
      crawl: (url) =>
        run(process.execPath, [program, url], {
          CRAWLEE_STORAGE_DIR: context.temporaryDirectory(),
        }),
    })
  } else context.say(`${CRAWLEE} left out: npm run bench:peers installs it`)
  crawlers.push({
    what: SCRAPY,
    crawl: (url) =>
      run('/usr/bin/python3', [
        join(root, 'bench/peers/scrapy_site.py'),
        url,
        join(context.temporaryDirectory(), 'items.jsonl'),
      ]),
  })
  return [...crawlers, { what: AUTOMATIC, crawl: own(root, 'auto') }]
}

/** Each runs in a process of its own, which says what it took. */
async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Crawled> {
  const { stdout } = await promisify(execFile)(command, [...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
  })
  const crawled: Crawled = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  return crawled
}

function comparisons(results: ReadonlyMap<string, readonly Crawled[]>): Figure[] {
  const perSecond = (what: string) => of(what, ({ pages, seconds }) => pages / seconds)
  const perCpu = (what: string) => of(what, ({ pages, cpuSeconds }) => pages / cpuSeconds)
  const memory = (what: string) => of(what, ({ memoryMb }) => memoryMb)
  const against = (what: string, other: string, atLeast: number): Figure => ({
    what: `${what} / ${other}`,
    ...{ value: perSecond(what) / perSecond(other), unit: 'x', must: { atLeast } },
  })
  const byProcessor = (what: string, other: string): Figure => ({
    what: `${what} / ${other}, by processor time`,
    ...{ value: perCpu(what) / perCpu(other), unit: 'x' },
  })
  return [
    against(ENTREPOT, CRAWLEE, 2),
    against(ENTREPOT, SCRAPY, 1),
    byProcessor(ENTREPOT, CRAWLEE),
    byProcessor(ENTREPOT, SCRAPY),
    ...[...results.keys()].map((what): Figure => {
      const must = what === ENTREPOT ? { must: { atMost: memory(CRAWLEE) } } : {}
      return { what: `most memory: ${what}`, value: memory(what), unit: 'MB', ...must }
    }),
  ].filter(({ value }) => !Number.isNaN(value))

  function of(what: string, value: (crawled: Crawled) => number): number {
    return median((results.get(what) ?? []).map(value))
  }
}

function toSpeed(what: string, crawled: readonly Crawled[]): Speed {
  const perSecond = median(crawled.map(({ pages, seconds }) => pages / seconds))
  return { what, perSecond, p50Ms: 0, p99Ms: 0 }
}

async function startSite(context: BenchContext): Promise<string> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const program = join(context.root, 'test/kit/article-site.ts')
  const args = [program, String(port), String(ARTICLES)]
  await context.start({ command: process.execPath, args, readyUrl: url })
  return url
}

/** Readers of content must not feel that a scraper of the same server is at work. */
async function besideCrawl(context: BenchContext, site: string): Promise<Figure[]> {
  const { tool, rounds, secondsPerRound: seconds, say } = context
  const { spec, url } = await serverSpec(context.root, context.temporaryDirectory())
  const env = { ...spec.env, ENTREPOT_ADMIN_KEY: KEY, ENTREPOT_STARTER: 'none' }
  await context.start({ ...spec, env })
  const headers = { 'x-api-key': KEY }
  const text = { type: 'text' }
  await call('POST', '/content-types/batch', {
    contentTypes: [
      {
        ...{ singularName: 'article', pluralName: 'articles' },
        attributes: { title: text, slug: text, summary: text, body: text },
      },
    ],
  })
  for (const { title, slug, summary, body } of articleSeed(100, 1).articles) {
    await call('POST', '/articles', { title, slug, summary, body })
  }
  const crawl = { max_pages: 1_000_000, max_depth: 100, concurrency: 16 }
  const { id } = await call('POST', '/scrapers', {
    ...{ name: 'Beside', url: site, rate_limit: BESIDE_RATE, crawl },
  })
  const load = { url: `${url}${LIST}`, connections: ASKING, perSecond: ASKED_PER_SECOND, headers }
  await measure(tool, { ...load, seconds })
  const alone: number[] = []
  const beside: number[] = []
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}: content without and beside a crawl`)
    alone.push((await measure(tool, { ...load, seconds })).p99Ms)
    await call('POST', `/scrapers/${id}/run`)
    // The crawling thread starts with the first run.
    while ((await call('GET', `/scrapers/${id}/status`)).items_count === 0) await wait(50)
    beside.push((await measure(tool, { ...load, seconds })).p99Ms)
    await call('POST', `/scrapers/${id}/stop`)
  }
  return [
    { what: 'p99 of content without a crawl', value: median(alone), unit: 'ms' },
    { what: 'p99 of content beside a crawl', value: median(beside), unit: 'ms' },
    {
      what: 'p99 beside a crawl / without',
      ...{ value: median(beside) / median(alone), unit: 'x', must: { atMost: 1.5 } },
    },
  ]

  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async function call(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
}
