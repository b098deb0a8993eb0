import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench, BenchContext, Figure, Speed } from './kit/bench.ts'
import { median } from './kit/compare.ts'
import { articleSeed } from './kit/content-seed.ts'
import type { Measured } from './kit/load.ts'
import { measureWrites } from './kit/write-load.ts'
import {
  type DatabaseName,
  startBareWrites,
  startOurWrites,
  startStrapiWrites,
  WRITES,
  type WriteKind,
  type WriteServer,
} from './kit/write-servers.ts'

const AT_ONCE = [1, 8, 32]
const DATABASES: readonly DatabaseName[] = ['SQLite', 'PostgreSQL']
/** Strapi alone; it is asked with few connections, and does no more with many. */
const STRAPI_AT_ONCE = 8
/** More than anybody deletes in a round. */
const MOST_DELETED = 2_000
const STRAPI_DELETED = 200
const IMPORTED = 20_000
const HEALTH_EVERY_MS = 20
/** What the page on scale asks of 8 and 32 connections, and of an import. */
const MUST: Readonly<Record<DatabaseName, { readonly ratio: number; readonly imported: number }>> =
  {
    SQLite: { ratio: 0.5, imported: 10_000 },
    PostgreSQL: { ratio: 0.3, imported: 5_000 },
  }
const CLAIMED: readonly WriteKind[] = ['create', 'change']
const articles = articleSeed(10_000, 1).articles.map(
  ({ author: _, slug: __, ...article }) => article,
)

/** One kind of write with so many connections, of all servers that know it. */
interface Row {
  readonly name: string
  readonly database: DatabaseName
  readonly kind: WriteKind
  readonly atOnce: number
}

type Ours = Awaited<ReturnType<typeof startOurWrites>>

const writes: Bench = {
  name: 'writes',
  summary: 'writes over HTTP beside bare Fastify with one synced statement each, and Strapi 5',
  effort: { rounds: 3, secondsPerRound: 2 },
  async run(context) {
    const rows = rowsOf(context.rows)
    const speeds: Speed[] = []
    const figures: Figure[] = []
    for (const database of DATABASES) {
      const own = rows.filter((row) => row.database === database)
      const ours = await startOurWrites(context, database)
      const others = [
        await startBareWrites(context, database),
        ...(database === 'SQLite' && own.length > 0 ? await strapi(context) : []),
        ...(context.than ? [await startOther(context, context.than, database)] : []),
      ]
      const results = await measureRows(context, own, [ours, ...others])
      for (const row of own) {
        const measured = results.get(row.name) ?? new Map()
        speeds.push(...[...measured].map(([what, each]) => speedOf(`${row.name}, ${what}`, each)))
        figures.push(...figuresOf(row, ours, others, measured))
      }
      if (context.rows?.test(`${database}, import`) ?? true) {
        figures.push(...(await importFigures(context, database, ours)))
      }
    }
    return { speeds, figures }
  },
}
export default writes

function rowsOf(pattern: RegExp | null): readonly Row[] {
  const all = DATABASES.flatMap((database) =>
    WRITES.flatMap((kind) =>
      AT_ONCE.map((atOnce) => ({
        name: `${database}, ${kind}, ${atOnce} at once`,
        ...{ database, kind, atOnce },
      })),
    ),
  )
  return all.filter(({ name }) => pattern?.test(name) ?? true)
}

async function strapi(context: BenchContext): Promise<readonly WriteServer[]> {
  const server = await startStrapiWrites(context, articleSeed(100, 1))
  return server ? [server] : []
}

function startOther(context: BenchContext, root: string, database: DatabaseName) {
  return startOurWrites({ ...context, root }, database, 'other checkout')
}

/**
 * All servers in turn, several rounds: what slows the machine for a while slows all of them alike. A round before
 * them is not counted: nobody's server is as slow for long as it is in its first seconds.
 */
async function measureRows(
  { rounds, secondsPerRound, say }: BenchContext,
  rows: readonly Row[],
  servers: readonly WriteServer[],
): Promise<Map<string, Map<string, Measured[]>>> {
  const results = new Map<string, Map<string, Measured[]>>()
  for (let round = 0; round <= rounds; round++) {
    for (const row of rows) {
      const own = results.get(row.name) ?? new Map<string, Measured[]>()
      results.set(row.name, own)
      for (const server of servers) {
        if (!isAsked(server, row)) continue
        say(`round ${round} of ${rounds}: ${row.name}, ${server.what}`)
        const measured = await measureOne(server, row, secondsPerRound)
        if (round > 0) own.set(server.what, [...(own.get(server.what) ?? []), measured])
      }
    }
  }
  return results
}

function isAsked({ what, requests }: WriteServer, { kind, atOnce }: Row): boolean {
  if (what.startsWith('Strapi') && atOnce !== STRAPI_AT_ONCE) return false
  return requests[kind] !== undefined
}

async function measureOne(
  server: WriteServer,
  { kind, atOnce }: Row,
  seconds: number,
): Promise<Measured> {
  const toRequest = server.requests[kind]
  if (!toRequest) throw new Error(`${server.what} knows no ${kind}`)
  const ids = await server.make(idsFor(server, kind))
  let asked = 0
  return measureWrites({ ...server, atOnce, seconds, next })

  /** No two articles have the same title. */
  function next() {
    const n = asked++
    if (kind === 'delete' && n >= ids.length) return undefined
    const article = { ...articles[n % articles.length], views: n }
    const title = `${article.title} ${kind} ${performance.now()}`
    const body = kind === 'change' ? { views: n } : { ...article, title }
    return toRequest?.(body, idOf(n))
  }

  /** Publishing goes there and back for each article. */
  function idOf(n: number): string {
    const at = kind === 'publish' ? Math.floor(n / 2) : n
    return ids[at % ids.length] ?? ''
  }
}

function idsFor({ what }: WriteServer, kind: WriteKind): number {
  if (kind === 'create' || kind === 'bulk') return 0
  const isSlow = what.startsWith('Strapi')
  if (kind === 'delete') return isSlow ? STRAPI_DELETED : MOST_DELETED
  return isSlow ? 20 : 1_000
}

function speedOf(what: string, measured: readonly Measured[]): Speed {
  const middle = (of: (each: Measured) => number) => median(measured.map(of))
  return {
    what,
    perSecond: middle(({ perSecond }) => perSecond),
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
  }
}

function figuresOf(
  { name, database, kind, atOnce }: Row,
  ours: WriteServer,
  others: readonly WriteServer[],
  measured: ReadonlyMap<string, readonly Measured[]>,
): Figure[] {
  const own = measured.get(ours.what) ?? []
  return others.flatMap(({ what }): Figure[] => {
    const other = measured.get(what)
    if (!other) return []
    const value = median(
      own.map((each, at) => each.perSecond / (other[at]?.perSecond ?? Number.NaN)),
    )
    const isClaimed = what.startsWith('bare') && CLAIMED.includes(kind) && atOnce > 1
    const must = isClaimed ? { must: { atLeast: MUST[database].ratio } } : {}
    return [{ what: `${name} / ${what}`, value, unit: 'x', ...must }]
  })
}

/** `entrepot import` of a file, with somebody who asks `/health` beside it. */
async function importFigures(
  context: BenchContext,
  database: DatabaseName,
  { url, env }: Ours,
): Promise<Figure[]> {
  context.say(`${database}, import`)
  const file = join(context.temporaryDirectory(), 'articles.ndjson')
  const lines = Array.from({ length: IMPORTED }, (_, n) =>
    JSON.stringify({ ...articles[n % articles.length], title: `imported ${n}` }),
  )
  writeFileSync(file, lines.join('\n'))
  const health = watchHealth(url)
  const startedMs = performance.now()
  const args = [join(context.root, 'bin/entrepot.mjs'), 'import', 'articles', file, '--url', url]
  const key = { ENTREPOT_CLI_KEY: env['ENTREPOT_ADMIN_KEY'] ?? '' }
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', ...key },
    stdio: 'ignore',
  })
  const [code] = await once(child, 'exit')
  const seconds = (performance.now() - startedMs) / 1_000
  const p99Ms = await health.stop()
  if (code !== 0) throw new Error(`the import ended with ${code}`)
  return [
    {
      what: `${database}, import, entries a second`,
      ...{ value: IMPORTED / seconds, unit: '', must: { atLeast: MUST[database].imported } },
    },
    {
      what: `${database}, p99 of /health beside it`,
      ...{ value: p99Ms, unit: 'ms', must: { atMost: 20 } },
    },
  ]
}

function watchHealth(url: string) {
  const tookMs: number[] = []
  let isOver = false
  const watching = watch()
  return { stop }

  async function watch(): Promise<void> {
    while (!isOver) {
      const sinceMs = performance.now()
      await (await fetch(`${url}/health`)).arrayBuffer()
      tookMs.push(performance.now() - sinceMs)
      await new Promise((resolve) => setTimeout(resolve, HEALTH_EVERY_MS))
    }
  }

  async function stop(): Promise<number> {
    isOver = true
    await watching
    return tookMs.toSorted((a, b) => a - b)[Math.floor((tookMs.length - 1) * 0.99)] ?? Number.NaN
  }
}
