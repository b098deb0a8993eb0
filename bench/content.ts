import type { Bench, BenchContext } from './kit/bench.ts'
import { createResults, figuresOf, matrixOf } from './kit/content-figures.ts'
import { chooseGroups, type Group, type Row, WRITES_PER_SECOND } from './kit/content-rows.ts'
import { articleSeed } from './kit/content-seed.ts'
import {
  type ContentServer,
  type OurServer,
  startBare,
  startOurs,
  startStrapi,
} from './kit/content-servers.ts'
import { type Load, type Measured, measure } from './kit/load.ts'
import { KEYED } from './kit/questions.ts'
import { writeSteadily } from './kit/steady-writes.ts'

const ARTICLES = 10_000
const AUTHORS = 50
const CONNECTIONS = 32
/** More than any server here answers of questions that are new to it. */
const MOST_PER_SECOND = 12_000
const SAMPLES = 15
/** Repeats are so many that a second of them still measures how the engine compiles. */
const WARM_UP_SECONDS = 5
/** Where a search has to scan, 32 at once would not be answered in time. */
const SEARCHING = { connections: 8, seconds: 2 }
/** It does no more when it is asked more at once, and would not answer in time. */
const STRAPI_CONNECTIONS = 4
const STRAPI_SECONDS = 3
const FAILED: Measured = { perSecond: Number.NaN, p50Ms: Number.NaN, p99Ms: Number.NaN }
/** What a proxy in front of the server adds. */
const FORWARDED = {
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-proto': 'https',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
}
const content: Bench = {
  name: 'content',
  summary: `reads of ${ARTICLES.toLocaleString('en')} articles in every dialect, beside bare Fastify with the same bytes and Strapi 5`,
  effort: { rounds: 3, secondsPerRound: 1 },
  async run(context) {
    const groups = chooseGroups(context.rows)
    requireWrk(context, groups)
    const seed = articleSeed(ARTICLES, AUTHORS)
    const hasProducts = groups.some(({ dialect }) => dialect === 'commerce')
    const hasCms = groups.some(isAskedOfStrapi)
    const than = context.than === null ? null : { ...context, root: context.than }
    const [ours, other, strapi] = await Promise.all([
      startOurs(context, seed, hasProducts),
      than && startOurs(than, seed, hasProducts),
      hasCms ? startStrapi(context, seed) : undefined,
    ])
    const bodies = await Promise.all(groups.map((group) => typicalBody(ours, group)))
    const bare = await startBare(context, bodies)
    const results = await measureGroups(context, groups, { ours, other, strapi, bare })
    return {
      speeds: results.speeds(),
      matrix: matrixOf(groups, results),
      figures: figuresOf(groups, results),
    }
  },
}
export default content

/** Before anything is started: without it ten minutes would end in a table without figures. */
function requireWrk({ tool }: BenchContext, groups: readonly Group[]): void {
  const asksOnce = groups.some(({ rows }) => rows.some(({ mode }) => mode !== 'repeated'))
  if (tool === 'wrk' || !asksOnce) return
  throw new Error(
    'only wrk asks another question each time: npm run bench:peers installs it; without it --rows repeated can be measured',
  )
}

/** Answers differ a little in length, so the one in the middle stands for all of them. */
async function typicalBody(server: OurServer, { dialect, kind }: Group): Promise<string> {
  const bodies = await Promise.all(
    server.questions.take(dialect, kind, SAMPLES).map(async (path) => {
      const answer = await fetch(server.url + path, { headers: { 'x-api-key': server.key } })
      const body = await answer.text()
      if (!answer.ok) throw new Error(`${decodeURI(path)}: ${answer.status} ${body}`)
      if (!body.includes('"views"')) throw new Error(`${decodeURI(path)} shows no article: ${body}`)
      return body
    }),
  )
  return bodies.toSorted((a, b) => a.length - b.length)[Math.floor(SAMPLES / 2)] ?? ''
}

interface Servers {
  readonly ours: OurServer
  readonly other: OurServer | null
  readonly strapi: ContentServer | undefined
  /** Its origin; the answer of a group is at the group's number. */
  readonly bare: string
}

/**
 * Everything in turn, several rounds: what slows the machine for a while slows a row and its yardsticks alike.
 * A row's ratio is taken within each round.
 */
async function measureGroups(context: BenchContext, groups: readonly Group[], servers: Servers) {
  const { tool, rounds, secondsPerRound, say } = context
  const { ours, other, strapi, bare } = servers
  const results = createResults()
  for (const [at, group] of groups.entries()) await warmUp(group, at)
  const compiled = await ours.plansCompiled()
  for (let round = 1; round <= rounds; round++) {
    for (const [at, group] of groups.entries()) {
      say(`round ${round} of ${rounds}: ${group.name}`)
      await measureGroup(group, at)
    }
  }
  results.compiled = (await ours.plansCompiled()) - compiled
  return results

  /** Each way that is measured is warm, as bare Fastify is: first reads, and repeats by everybody. */
  async function warmUp({ name, dialect, kind, rows }: Group, at: number) {
    say(`warming up: ${name}`)
    const first = rows.slice(0, 1).map((row): Row => ({ ...row, mode: 'first' }))
    const repeated = rows.filter(({ mode }) => mode === 'repeated')
    const seconds = repeated.length > 0 ? WARM_UP_SECONDS : secondsPerRound
    await load({ url: `${bare}/${at}`, seconds })
    for (const server of [ours, other]) {
      if (!server) continue
      await askTemplates(server, server.questions.templates(dialect, kind))
      for (const row of [...first, ...repeated]) {
        // What cannot be asked is told when it is measured.
        await measureRow(server, row, WARM_UP_SECONDS).catch(() => {})
      }
    }
  }

  /** Plans are compiled for each level: with a key and without. */
  async function askTemplates({ url, key }: OurServer, paths: readonly string[]) {
    for (const path of paths) {
      for (const headers of [{}, { 'x-api-key': key }]) {
        await (await fetch(url + path, { headers })).arrayBuffer()
      }
    }
  }

  async function measureGroup({ name, dialect, kind, rows }: Group, at: number) {
    await note(`bare, ${name}`, () => load({ url: `${bare}/${at}` }))
    if (strapi && isAskedOfStrapi({ dialect, kind })) {
      const few = { connections: STRAPI_CONNECTIONS, seconds: STRAPI_SECONDS }
      await note(`Strapi, ${name}`, () => askOnce(strapi, { dialect, kind }, few))
    }
    for (const row of rows) {
      await note(row.name, () => measureRow(ours, row))
      if (other) await note(`${row.name}, other checkout`, () => measureRow(other, row))
    }
  }

  /** A row that cannot be measured is told, and does not take the others with it. */
  async function note(name: string, work: () => Promise<Measured>): Promise<void> {
    const measured = await work().catch((error: unknown) => {
      say(`${name} was not measured: ${error instanceof Error ? error.message : error}`)
      return FAILED
    })
    results.add(name, measured)
  }

  async function measureRow(
    server: OurServer,
    row: Row,
    repeatedSeconds = secondsPerRound,
  ): Promise<Measured> {
    const { dialect, kind, mode } = row
    const headers = headersOf(server, row)
    if (mode === 'repeated') {
      const [path] = server.questions.take(dialect, kind, 1)
      return load({ url: `${server.url}${path}`, headers, seconds: repeatedSeconds })
    }
    const write = () => server.write(dialect)
    await write()
    const asked = { headers, ...(kind === 'text search' && SEARCHING) }
    if (mode === 'first') return askOnce(server, row, asked).finally(() => settle(server, row))
    const writes = writeSteadily({ write }, WRITES_PER_SECOND)
    try {
      return await askOnce(server, row, asked)
    } finally {
      results.writesPerSecond.push(await writes.stop())
      await settle(server, row)
    }
  }

  /** Searches are done one after the other: this one is answered when none is left of those given up. */
  async function settle({ url, questions, key }: OurServer, { dialect, kind }: Row): Promise<void> {
    if (kind !== 'text search') return
    const [path] = questions.take(dialect, kind, 1)
    await (await fetch(`${url}${path}`, { headers: { 'x-api-key': key } })).arrayBuffer()
  }

  /** Each question once; those that were not reached are asked another time. */
  async function askOnce(
    { url, questions }: ContentServer,
    { dialect, kind }: Pick<Group, 'dialect' | 'kind'>,
    { connections = CONNECTIONS, seconds = secondsPerRound, ...more }: Partial<Load> = {},
  ): Promise<Measured> {
    const paths = questions.look(dialect, kind, MOST_PER_SECOND * seconds)
    const measured = await load({ url, paths, connections, seconds, ...more })
    const asked = Math.ceil(measured.perSecond * seconds * 1.2) + connections
    questions.use(dialect, kind, Math.min(asked, paths.length))
    return measured
  }

  function load(asked: Partial<Load> & Pick<Load, 'url'>): Promise<Measured> {
    return measure(tool, { connections: CONNECTIONS, seconds: secondsPerRound, ...asked })
  }
}

/** A search scans, which keeps Strapi at work for longer than a round, beside whatever is measured next. */
function isAskedOfStrapi({ dialect, kind }: Pick<Group, 'dialect' | 'kind'>): boolean {
  return dialect === 'cms' && kind !== 'text search'
}

function headersOf(
  { key }: OurServer,
  { dialect, asker }: Pick<Row, 'dialect' | 'asker'>,
): Record<string, string> {
  const isKnown = asker === 'key' || KEYED.has(dialect)
  return { ...(isKnown && { 'x-api-key': key }), ...(asker === 'proxy' && FORWARDED) }
}
