import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench, BenchContext, Figure } from './kit/bench.ts'
import { serverSpec } from './kit/entrepot.ts'
import { fillStore, LARGE, SMALL } from './kit/size-store.ts'

const ENTRIES = 1_000_000
const TYPES = [54, 300]
const KEY = `sk_${'Bench0'.repeat(8)}`
const ASKED = 11

const size: Bench = {
  name: 'size',
  summary:
    'search, lists and changes of types with 1,000,000 entries in 54 and in 300 types, on SQLite',
  async run(context) {
    const figures: Figure[] = []
    for (const types of context.types === null ? TYPES : [context.types]) {
      figures.push(...(await measure(context, types)))
    }
    return { speeds: [], figures }
  },
}
export default size

interface Asked {
  readonly tookMs: number
  /** Of all threads of the server: what a quiet machine would need at most. */
  readonly processorMs: number
}

type Note = (what: string, value: number | Asked, must?: Figure['must']) => void

async function measure(context: BenchContext, types: number): Promise<Figure[]> {
  const entries = context.entries ?? ENTRIES
  const dataDir = context.temporaryDirectory()
  await fillStore(context, dataDir, { types, entries })
  const { spec, url } = await serverSpec(context.root, dataDir)
  const env = { ...spec.env, ENTREPOT_ADMIN_KEY: KEY, ENTREPOT_STARTER: 'none' }
  const child = await context.start({ ...spec, env, startLimitMs: 120_000 })
  const figures: Figure[] = []
  const add = (what: string, value: number, must: Figure['must']) => {
    figures.push({ what: `${types} types: ${what}`, value, unit: 'ms', ...(must ? { must } : {}) })
    context.say(`${types} types: ${what}: ${value.toFixed(1)} ms`)
  }
  const note: Note = (what, value, must) => {
    if (typeof value === 'number') return add(what, value, must)
    add(what, value.tookMs, must)
    add(`${what}, processor`, value.processorMs, undefined)
  }
  note('ready after', child.readyAfterMs)
  const server = { url, pid: child.pid }
  note('texts taken in after', await takenInMs(url))
  const isAsked = (part: string) => context.rows?.test(part) !== false
  if (isAsked('searches')) await searches(server, note)
  if (isAsked('lists')) await lists(server, note)
  if (isAsked('changes')) await changes(url, note)
  await child.stop()
  return figures
}

/** The store is filled at once, as by an import; searches read what waits for its trigrams besides what the index finds. */
async function takenInMs(url: string): Promise<number> {
  const startedMs = performance.now()
  const headers = { 'x-api-key': KEY }
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`, { headers })).text()
    if (/^content_search_waiting 0$/m.test(metrics)) return performance.now() - startedMs
    await delay(1_000)
  }
}

const SOON = { atMost: 50 } as const

/** Each asks for other words, so that no answer is kept. */
async function searches(server: Server, note: Note) {
  const rest = `/api/v1/${LARGE}s`
  const rare = (n: number) => encodeURIComponent(`title ${((n + 1) * 7919) % 1_000_003} of`)
  const common = (n: number) => `harbour&sort=${['id', 'title', 'rank'][n % 3]}&per_page=${20 + n}`
  note('q, rare, first page', await median(server, (n) => `${rest}?count=false&q=${rare(n)}`), SOON)
  note(
    'q, in every seventh, first page',
    await median(server, (n) => `${rest}?count=false&q=${common(n)}`),
    SOON,
  )
  note(
    'q, nowhere, first page',
    await median(server, (n) => `${rest}?count=false&q=nowhere${n}`),
    SOON,
  )
  note('q, rare, with total', await median(server, (n) => `${rest}?q=${rare(n + 50)}`))
  note('q, in every seventh, with total', await median(server, (n) => `${rest}?q=${common(n)}`, 3))
  const cms = `/api/${LARGE}s?pagination[withCount]=false`
  note('_q, rare, first page', await median(server, (n) => `${cms}&_q=${rare(n)}`), SOON)
  note(
    '$containsi, rare',
    await median(server, (n) => `${cms}&filters[title][$containsi]=${rare(n)}`),
    SOON,
  )
  const jsonapi = `/jsonapi/node/${LARGE}?filter[t][condition][path]=title&filter[t][condition][operator]=CONTAINS&filter[t][condition][value]=`
  note('JSON:API CONTAINS, rare', await median(server, (n) => `${jsonapi}${rare(n)}`))
  const search = '/api/v1/search?q='
  const number = (n: number) => `title+${((n + 1) * 7919) % 1_000_003}`
  note('/search, rare', await median(server, (n) => `${search}${number(n)}`), SOON)
  note(
    '/search, a common word',
    await median(server, (n) => `${search}harbour&per_page=${10 + n}`),
    SOON,
  )
  note(
    '/search, two common words',
    await median(server, (n) => `${search}harbour+cra&per_page=${10 + n}`),
    SOON,
  )
  note(
    '/search, a phrase',
    await median(server, (n) => `${search}%22beside+the+crane%22&per_page=${10 + n}`),
    SOON,
  )
  note('/search, nowhere', await median(server, (n) => `${search}nowhere${n}`), SOON)
}

async function lists(server: Server, note: Note) {
  const page = (path: string) => (n: number) => path.replace('SIZE', String(10 + n))
  note('/api/v1 list', await median(server, page(`/api/v1/${LARGE}s?per_page=SIZE`)))
  note('CMS list', await median(server, page(`/api/${LARGE}s?pagination[pageSize]=SIZE`)))
  note('JSON:API list', await median(server, page(`/jsonapi/node/${LARGE}?page[limit]=SIZE`)))
  const delivery = '/cms/delivery/api/v2/content?take=SIZE'
  note(
    'delivery list of a type',
    await median(server, page(`${delivery}&filter=contentType:${LARGE}`)),
  )
  note('delivery list of all types', await median(server, page(delivery), 3))
}

/** While one client writes to another type: the longest it waits. */
async function changes(url: string, note: Note) {
  const attributes = {
    title: { type: 'string' },
    body: { type: 'text' },
    rank: { type: 'integer' },
  }
  const more = { ...attributes, extra: { type: 'string' } }
  for (const [what, body] of [
    ['an attribute more', { attributes: more }],
    ['an attribute less', { attributes }],
    ['localised', { localized: true }],
    ['not localised', { localized: false }],
    ['without drafts', { draftAndPublish: false }],
    ['with drafts', { draftAndPublish: true }],
  ] as const) {
    const writing = startWriting(url)
    const startedMs = performance.now()
    const answer = await send(url, 'PATCH', `/api/v1/content-types/${LARGE}?force=true`, body)
    while (await isChanging(url)) await delay(250)
    const tookMs = performance.now() - startedMs
    const changeMs = writing.longestMs()
    await delay(INDEXES_MS)
    const longestMs = await writing.stop()
    note(`${what} (${answer.status}), until it holds`, tookMs)
    note(`${what}, longest wait of a writer`, changeMs, { atMost: 250 })
    note(`${what}, the same with the indexes that follow`, longestMs)
  }
}

/** In which the worker builds what a change wishes for. */
const INDEXES_MS = 8_000

async function isChanging(url: string): Promise<boolean> {
  const headers = { 'x-api-key': KEY }
  const answer = await fetch(`${url}/api/v1/content-types/${LARGE}`, { headers })
  return (await answer.text()).includes('"changing"')
}

function startWriting(url: string) {
  let stopped = false
  let longestMs = 0
  const running = (async () => {
    while (!stopped) {
      const startedMs = performance.now()
      await send(url, 'POST', `/api/v1/${SMALL}s`, { title: 'written beside' })
      longestMs = Math.max(longestMs, performance.now() - startedMs)
    }
  })()
  return {
    longestMs: () => longestMs,
    async stop() {
      stopped = true
      await running
      return longestMs
    },
  }
}

async function send(url: string, method: string, path: string, body: object): Promise<Response> {
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json' }
  const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
  await answer.arrayBuffer()
  return answer
}

interface Server {
  readonly url: string
  readonly pid: number
}

async function median(
  { url, pid }: Server,
  path: (n: number) => string,
  times = ASKED,
): Promise<Asked> {
  const took: number[] = []
  const beforeMs = processorMs(pid)
  for (let n = 0; n < times; n++) {
    const startedMs = performance.now()
    const answer = await fetch(`${url}${path(n)}`, { headers: { 'x-api-key': KEY } })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path(n)}: ${answer.status} ${text.slice(0, 300)}`)
    took.push(performance.now() - startedMs)
  }
  const tookMs = took.sort((a, b) => a - b)[Math.floor(times / 2)] ?? 0
  return { tookMs, processorMs: (processorMs(pid) - beforeMs) / times }
}

/** What all threads of a process have used. */
function processorMs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const used = tasks.map((task) => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      return 0
    }
  })
  return used.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6
}
