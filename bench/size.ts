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
    for (const types of TYPES) {
      if (context.rows?.test(`${types} types`) !== false)
        figures.push(...(await measure(context, types)))
    }
    return { speeds: [], figures }
  },
}
export default size

type Note = (what: string, value: number, must?: Figure['must']) => void

async function measure(context: BenchContext, types: number): Promise<Figure[]> {
  const entries = context.entries ?? ENTRIES
  const dataDir = context.temporaryDirectory()
  await fillStore(context, dataDir, { types, entries })
  const { spec, url } = await serverSpec(context.root, dataDir)
  const env = { ...spec.env, ENTREPOT_ADMIN_KEY: KEY, ENTREPOT_STARTER: 'none' }
  const child = await context.start({ ...spec, env, startLimitMs: 120_000 })
  const figures: Figure[] = []
  const note: Note = (what, value, must) => {
    figures.push({ what: `${types} types: ${what}`, value, unit: 'ms', ...(must ? { must } : {}) })
    context.say(`${types} types: ${what}: ${value.toFixed(1)} ms`)
  }
  note('ready after', child.readyAfterMs)
  await searches(url, note)
  await lists(url, note)
  await changes(url, note)
  await child.stop()
  return figures
}

const SOON = { atMost: 50 } as const

/** Each asks for other words, so that no answer is kept. */
async function searches(url: string, note: Note) {
  const rest = `/api/v1/${LARGE}s`
  const rare = (n: number) => encodeURIComponent(`title ${((n + 1) * 7919) % 1_000_003} of`)
  const common = (n: number) => `harbour&sort=${['id', 'title', 'rank'][n % 3]}&per_page=${20 + n}`
  note('q, rare, first page', await median(url, (n) => `${rest}?count=false&q=${rare(n)}`), SOON)
  note(
    'q, in every seventh, first page',
    await median(url, (n) => `${rest}?count=false&q=${common(n)}`),
    SOON,
  )
  note(
    'q, nowhere, first page',
    await median(url, (n) => `${rest}?count=false&q=nowhere${n}`),
    SOON,
  )
  note('q, rare, with total', await median(url, (n) => `${rest}?q=${rare(n + 50)}`))
  note('q, in every seventh, with total', await median(url, (n) => `${rest}?q=${common(n)}`, 3))
  const cms = `/api/${LARGE}s?pagination[withCount]=false`
  note('_q, rare, first page', await median(url, (n) => `${cms}&_q=${rare(n)}`), SOON)
  note(
    '$containsi, rare',
    await median(url, (n) => `${cms}&filters[title][$containsi]=${rare(n)}`),
    SOON,
  )
  const jsonapi = `/jsonapi/node/${LARGE}?filter[t][condition][path]=title&filter[t][condition][operator]=CONTAINS&filter[t][condition][value]=`
  note('JSON:API CONTAINS, rare', await median(url, (n) => `${jsonapi}${rare(n)}`))
  const search = '/api/v1/search?q='
  const number = (n: number) => `title+${((n + 1) * 7919) % 1_000_003}`
  note('/search, rare', await median(url, (n) => `${search}${number(n)}`), SOON)
  note(
    '/search, a common word',
    await median(url, (n) => `${search}harbour&per_page=${10 + n}`),
    SOON,
  )
  note(
    '/search, two common words',
    await median(url, (n) => `${search}harbour+cra&per_page=${10 + n}`),
    SOON,
  )
  note(
    '/search, a phrase',
    await median(url, (n) => `${search}%22beside+the+crane%22&per_page=${10 + n}`),
    SOON,
  )
  note('/search, nowhere', await median(url, (n) => `${search}nowhere${n}`), SOON)
}

async function lists(url: string, note: Note) {
  const page = (path: string) => (n: number) => path.replace('SIZE', String(10 + n))
  note('/api/v1 list', await median(url, page(`/api/v1/${LARGE}s?per_page=SIZE`)))
  note('CMS list', await median(url, page(`/api/${LARGE}s?pagination[pageSize]=SIZE`)))
  note('JSON:API list', await median(url, page(`/jsonapi/node/${LARGE}?page[limit]=SIZE`)))
  const delivery = '/cms/delivery/api/v2/content?take=SIZE'
  note(
    'delivery list of a type',
    await median(url, page(`${delivery}&filter=contentType:${LARGE}`)),
  )
  note('delivery list of all types', await median(url, page(delivery), 3))
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
    ['without drafts', { draftAndPublish: false }],
  ] as const) {
    const writing = startWriting(url)
    const startedMs = performance.now()
    const answer = await send(url, 'PATCH', `/api/v1/content-types/${LARGE}?force=true`, body)
    const tookMs = performance.now() - startedMs
    const longestMs = await writing.stop()
    note(`${what} (${answer.status}), change itself`, tookMs)
    note(`${what}, longest wait of a writer`, longestMs, { atMost: 250 })
  }
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

async function median(url: string, path: (n: number) => string, times = ASKED): Promise<number> {
  const took: number[] = []
  for (let n = 0; n < times; n++) {
    const startedMs = performance.now()
    const answer = await fetch(`${url}${path(n)}`, { headers: { 'x-api-key': KEY } })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path(n)}: ${answer.status} ${text.slice(0, 300)}`)
    took.push(performance.now() - startedMs)
  }
  return took.sort((a, b) => a - b)[Math.floor(times / 2)] ?? 0
}
