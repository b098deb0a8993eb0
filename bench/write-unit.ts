import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { DatabaseSettings } from '#db'
import { createClock, createIds, random } from '#kernel'
import { WRITER } from '../test/conformance/support/writer.ts'
import { openCarrier } from '../test/conformance/write-unit/open.ts'
import { BATCH, createPages } from '../test/conformance/write-unit/pages.ts'
import { createWriteUnit } from '../test/conformance/write-unit/unit.ts'
import { startPostgres } from '../test/kit/services.ts'
import type { Bench, BenchContext, Figure, Speed } from './kit/bench.ts'
import { median } from './kit/compare.ts'
import { openContent } from './kit/content.ts'

const AT_ONCE = [1, 8, 32]
const BARE = 'bare INSERT'
const UNIT = 'plans of the write unit'
const TODAY = 'entries.create'
const BULK = 'plans of 100 entries, one at once'
const BULK_SIZE = 100
/** What the issue on writes must reach, with HTTP around it; here it is the writer alone. */
const MUST: Readonly<Record<string, number>> = { sqlite: 0.5, postgres: 0.3 }

/** One write, and how to end what it needs. */
interface Writer {
  write(): Promise<unknown>
  close(): unknown
}

const writeUnit: Bench = {
  name: 'write-unit',
  summary: 'creates as plans in groups beside bare INSERTs, each with full sync',
  effort: { rounds: 3, secondsPerRound: 2 },
  async run(context) {
    const speeds: Speed[] = []
    const figures: Figure[] = []
    for (const kind of ['sqlite', 'postgres'] as const) {
      const settings = await emptyDatabase(context, kind)
      const store = await openStore(context, settings)
      const bare = kind === 'sqlite' ? bareSqlite(settings) : await barePostgres(settings)
      const writers: [string, Writer][] = [
        [BARE, bare],
        [UNIT, store.unit],
        [TODAY, store.today],
      ]
      const rates = await compareRates(context, kind, writers)
      speeds.push(...rates)
      figures.push(...AT_ONCE.flatMap((atOnce) => figuresOf(rates, kind, atOnce)))
      const bulk = await rateOf(store.bulk, 1, context.secondsPerRound)
      const perSecond = BULK_SIZE * bulk.perSecond
      speeds.push({ what: `${kind}, ${BULK}, entries`, perSecond, p50Ms: 0, p99Ms: 0 })
      const value = bulk.processorMs / BULK_SIZE
      figures.push({ what: `${kind}, ${BULK}: processor time of an entry`, value, unit: 'ms' })
      for (const [, writer] of writers) await writer.close()
    }
    return { speeds, figures }
  },
}
export default writeUnit

async function compareRates(
  { rounds, secondsPerRound, say }: BenchContext,
  kind: string,
  writers: readonly (readonly [string, Writer])[],
): Promise<Rated[]> {
  const measured = new Map<string, Rate[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const atOnce of AT_ONCE) {
      for (const [what, { write }] of writers) {
        say(`round ${round} of ${rounds}: ${kind}, ${what}, ${atOnce} at once`)
        const rate = await rateOf(write, atOnce, round === 0 ? 0.5 : secondsPerRound)
        const name = nameOf(kind, what, atOnce)
        // The first is for warming up.
        if (round > 0) measured.set(name, [...(measured.get(name) ?? []), rate])
      }
    }
  }
  return [...measured].map(([what, rates]) => ({
    ...{ what, p50Ms: 0, p99Ms: 0, perSecond: median(rates.map(({ perSecond }) => perSecond)) },
    processorMs: median(rates.map(({ processorMs }) => processorMs)),
  }))
}

interface Rate {
  readonly perSecond: number
  /** Of this process with all its threads, for each write: other programs change it little. */
  readonly processorMs: number
}
type Rated = Speed & Rate

async function rateOf(
  write: () => Promise<unknown>,
  atOnce: number,
  seconds: number,
): Promise<Rate> {
  const startedMs = performance.now()
  const before = process.cpuUsage()
  const untilMs = startedMs + seconds * 1_000
  let done = 0
  const run = async () => {
    while (performance.now() < untilMs) {
      await write()
      done++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, run))
  const { user, system } = process.cpuUsage(before)
  return {
    perSecond: done / ((performance.now() - startedMs) / 1_000),
    processorMs: (user + system) / 1_000 / done,
  }
}

function figuresOf(rates: readonly Rated[], kind: string, atOnce: number): Figure[] {
  const rate = (what: string) =>
    rates.find((each) => each.what === nameOf(kind, what, atOnce))?.perSecond ?? Number.NaN
  const must = MUST[kind]
  const processor = [BARE, UNIT, TODAY].map((what): Figure => {
    const own = rates.find((each) => each.what === nameOf(kind, what, atOnce))
    const value = own?.processorMs ?? Number.NaN
    return { what: `${nameOf(kind, what, atOnce)}: processor time of each`, value, unit: 'ms' }
  })
  const isClaimed = atOnce > 1 && must !== undefined
  return [
    {
      what: `${kind}, ${atOnce} at once: unit / bare`,
      ...{ value: rate(UNIT) / rate(BARE), unit: 'x' },
      ...(isClaimed ? { must: { atLeast: must } } : {}),
    },
    {
      what: `${kind}, ${atOnce} at once: today / bare`,
      ...{ value: rate(TODAY) / rate(BARE), unit: 'x' },
    },
    ...processor,
  ]
}

function nameOf(kind: string, what: string, atOnce: number): string {
  return `${kind}, ${what}, ${atOnce} at once`
}

async function emptyDatabase(
  context: BenchContext,
  kind: 'sqlite' | 'postgres',
): Promise<DatabaseSettings> {
  const dataDir = context.temporaryDirectory()
  const limits = { dataDir, readers: 1, readTimeoutMs: 5_000, scanTimeoutMs: 5_000 }
  if (kind === 'sqlite') return { ...limits, url: undefined }
  const directory = context.temporaryDirectory()
  // As root the server runs as somebody else, who has to get in.
  chmodSync(directory, 0o755)
  const server = await startPostgres(directory, true)
  context.undo(server.stop)
  return { ...limits, url: server.url }
}

/** Plans and today's writes of the same type in the same tables. */
async function openStore({ root, undo }: BenchContext, settings: DatabaseSettings) {
  const store = await openContent(root, settings)
  undo(store.stop)
  await store.defineTypes(BATCH.contentTypes ?? [])
  const { content } = store
  const type = content.model().findType('page')
  if (!type) throw new Error('no type page')
  const clock = createClock()
  const pages = createPages(type, { clock, ids: createIds({ clock, random }), isCounted: false })
  const carrier = await openCarrier(settings)
  const unit = createWriteUnit({ carrier, freshness: { touch: () => {} } })
  let last = 0
  const title = () => `page ${++last}`
  return {
    unit: { write: () => unit.write(async () => pages.create(title())), close: carrier.close },
    bulk: () => unit.write(async () => pages.createAll(Array.from({ length: BULK_SIZE }, title))),
    today: {
      write: () => content.entries.create(WRITER, type, { values: { title: title(), count: 0 } }),
      close: () => {},
    },
  }
}

const CREATE = 'create table bare (id integer primary key, title text, doc text)'

/** In place: nothing between the loop and the disk. */
function bareSqlite({ dataDir }: DatabaseSettings): Writer {
  const db = new DatabaseSync(join(dataDir, 'bare.db'))
  db.exec(`pragma journal_mode = wal; pragma synchronous = full; ${CREATE}`)
  const insert = db.prepare('insert into bare (title, doc) values (?, ?)')
  return {
    write: async () => insert.run('title', '{"title":"title","count":0}'),
    close: () => db.close(),
  }
}

/** A connection for each writer, one round trip for each row. */
async function barePostgres({ url }: DatabaseSettings): Promise<Writer> {
  const pool = new pg.Pool({ connectionString: url, max: Math.max(...AT_ONCE) })
  await pool.query(CREATE.replace('integer', 'bigint generated always as identity'))
  const text = 'insert into bare (title, doc) values ($1, $2)'
  const values = ['title', '{"title":"title","count":0}']
  return {
    write: () => pool.query({ name: 'bare', text, values }),
    close: () => pool.end(),
  }
}
