import { sql } from 'kysely'
import type { Content } from '#content'
import type { ContentType } from '#content-model'
import type { ContentQuery, PageChoice } from '#content-query'
import type { Database, DatabaseSettings } from '#db'
import { startTestServices } from '../test/kit/services.ts'
import type { Bench, BenchContext, Figure } from './kit/bench.ts'
import { type BenchContent, openContent } from './kit/content.ts'

const SMALL = 10_000
const LARGE = 1_000_000
const CHUNK = 50_000
const OTHER_TYPES = 48
const AUTHORS = 1_000
const READER = { level: 'read' } as const
const FIRST = {
  kind: 'cursor',
  position: null,
  direction: 'next',
  limit: 20,
  count: false,
} as const

const contentStore: Bench = {
  name: 'content-store',
  summary: '1,000,000 entries in one type and 50 types of 20 attributes, on both databases',
  async run(context) {
    const figures = await measure(context, 'SQLite', undefined)
    const services = await startTestServices()
    try {
      figures.push(...(await measure(context, 'PostgreSQL', services.postgresUrl)))
    } finally {
      await services.stop()
    }
    return { speeds: [], figures }
  },
}
export default contentStore

async function measure(context: BenchContext, name: string, url: string | undefined) {
  const dataDir = context.temporaryDirectory()
  const settings: DatabaseSettings = {
    url,
    dataDir,
    readers: 2,
    readTimeoutMs: 30_000,
    scanTimeoutMs: 60_000,
  }
  const store = await openContent(context.root, settings)
  const figures: Figure[] = []
  const note: Note = (what, value, unit, must) => {
    figures.push({ what: `${name}: ${what}`, value, unit, ...(must ? { must } : {}) })
    context.say(`${name}: ${what}: ${value.toFixed(2)} ${unit}`)
  }
  const definedMs = await timeOf(() => defineAll(store))
  note('50 types of 20 attributes are defined', definedMs / 1_000, 's')
  await inserts(store, note)
  await fill(store, 'small', SMALL, context)
  await fill(store, 'large', LARGE, context)
  // PostgreSQL would do it by itself a little later.
  if (url !== undefined) await sql`analyze`.execute(store.database.main.writer)
  await pages(store.content, note)
  await scans(store.content, note)
  await store.stop()
  return figures
}

type Note = (what: string, value: number, unit: Figure['unit'], must?: Figure['must']) => void

/** A few at a time: on SQLite all other writers wait for the transaction. */
async function defineAll({ defineTypes }: BenchContent) {
  const all = definitions()
  for (let at = 0; at < all.length; at += 5) await defineTypes(all.slice(at, at + 5))
}

function definitions(): object[] {
  const plain = Object.fromEntries(
    Array.from({ length: 15 }, (_, n) => [
      `field${n}`,
      { type: ['string', 'integer', 'boolean'][n % 3] },
    ]),
  )
  const attributes = {
    title: { type: 'string' },
    mood: { type: 'enumeration', enum: ['calm', 'loud', 'grim', 'glad'] },
    rank: { type: 'integer' },
    body: { type: 'text' },
    author: { type: 'relation', relation: 'manyToOne', target: 'author' },
    ...plain,
  }
  const others = Array.from({ length: OTHER_TYPES - 1 }, (_, n) => `other${n}`)
  const named = ['small', 'large', ...others].map((name) => type(name, attributes))
  return [type('author', { name: { type: 'string' } }), ...named]
}

function type(singularName: string, attributes: object): object {
  return { singularName, pluralName: `${singularName}-all`, draftAndPublish: true, attributes }
}

/** Every attribute has its indexes, as after the type was defined; then without those of attributes. */
async function inserts(store: BenchContent, note: Note) {
  const rows = 2_000
  const [indexed, bare] = [typeOf(store.content, 'other0'), typeOf(store.content, 'other1')]
  await dropIndexes(store, bare, [])
  for (const [what, each] of [
    ['with the indexes of 20 attributes', indexed],
    ['without them', bare],
  ] as const) {
    const ms = await timeOf(() => insertRows(store.database, each, 1, rows))
    note(`insert of a row ${what}`, ms / rows, 'ms')
  }
}

async function fill(store: BenchContent, name: string, rows: number, { say }: BenchContext) {
  const filled = typeOf(store.content, name)
  const kept = ['title', 'mood', 'rank'].map(
    (attribute) => filled.attribute.get(attribute)?.no ?? 0,
  )
  await dropIndexes(store, filled, kept)
  const ms = await timeOf(async () => {
    for (let from = 1; from <= rows; from += CHUNK) {
      await insertRows(store.database, filled, from, Math.min(from + CHUNK - 1, rows))
    }
    await linkAuthors(store, filled, Math.min(rows, 100_000))
  })
  say(`${rows} entries in ${Math.round(ms / 1_000)} s`)
}

/** All but those a query here can use: filling a million rows with 90 indexes takes minutes. */
async function dropIndexes(
  { database }: BenchContent,
  { table }: ContentType,
  kept: readonly number[],
) {
  const { writer } = database.main
  const rows = await writer
    .selectFrom('content_indexes')
    .select('name')
    .where('table_name', '=', table)
    .execute()
  for (const { name } of rows) {
    const attribute = /_[af](\d+)_/.exec(name)?.[1]
    const isNeeded =
      attribute === undefined
        ? !name.includes('_work_')
        : name.includes('_live_') && kept.includes(Number(attribute))
    if (!isNeeded) await writer.schema.dropIndex(name).ifExists().execute()
  }
}

async function insertRows({ main }: Database, each: ContentType, from: number, to: number) {
  const numbers = sql`with recursive n(i) as (select cast(${sql.lit(from)} as bigint) union all select i + 1 from n where i < ${sql.lit(to)})`
  const document = sql`'doc-' || ${sql.lit(`${each.no}`)} || '-' || i`
  await sql`insert into content_entries (type_no, id, document_id, locale, created_at, updated_at, published_at, has_live, changed, sort_order, is_root, ancestors_live, version) ${numbers} select ${sql.lit(each.no)}, i, ${document}, '', i * 1000, i * 1000, i * 1000, 1, 0, i, 0, 1, 1 from n`.execute(
    main.writer,
  )
  const columns = columnsOf(each)
  const entryNo = sql`(select min(no) from content_entries where type_no = ${sql.lit(each.no)}) - 1 + i`
  const names = sql.join(columns.map(({ name }) => sql.ref(name)))
  const values = sql.join(columns.map(({ value }) => sql.raw(value)))
  await sql`insert into ${sql.table(each.table)} (copy_no, entry_no, id, document_id, locale, live, work, revision_id, shape, created_at, updated_at, published_at, doc, hidden, ${names}) ${numbers} select ${sql.lit(each.no * 10_000_000)} + i, ${entryNo}, i, ${document}, '', 1, 1, i, ${sql.lit(each.shape)}, i * 1000, i * 1000, i * 1000, ${sql.raw(DOC)}, '{}', ${values} from n`.execute(
    main.writer,
  )
}

const SHUFFLED = '((i * 7919) % 1000003)'
const MOOD = `case i % 4 when 0 then 'calm' when 1 then 'loud' when 2 then 'grim' else 'glad' end`
const DOC = `'{"title":"Title ' || ${SHUFFLED} || '","rank":' || i || ',"body":"${'Some words of text. '.repeat(12)}"}'`

function columnsOf({ attributes }: ContentType): { name: string; value: string }[] {
  return attributes.flatMap(({ name, no, type: kind }) => {
    if (name === 'title') return text(no, `'Title ' || ${SHUFFLED}`, `'title ' || ${SHUFFLED}`)
    if (name === 'mood') return text(no, MOOD, MOOD)
    if (kind === 'string') return text(no, `'Text ' || i`, `'text ' || i`)
    if (kind === 'text') return text(no, `'Body ' || ${SHUFFLED}`, `'body ' || ${SHUFFLED}`)
    return kind === 'relation'
      ? []
      : [{ name: `a${no}`, value: kind === 'boolean' ? 'i % 2' : SHUFFLED }]
  })
}

function text(no: number, value: string, folded: string) {
  return [
    { name: `a${no}`, value },
    { name: `f${no}`, value: folded },
  ]
}

async function linkAuthors({ database, content }: BenchContent, each: ContentType, rows: number) {
  const author = typeOf(content, 'author')
  const known = await database.main.reader.selectFrom(author.table).select('id').limit(1).execute()
  if (known.length === 0) await insertRows(database, author, 1, AUTHORS)
  const no = each.attribute.get('author')?.no ?? 0
  await sql`insert into content_links (attribute_no, owner_copy, owner_part, position, target, target_position) select ${sql.lit(no)}, copy_no, 0, 0, 'doc-' || ${sql.lit(`${author.no}`)} || '-' || (id % ${sql.lit(AUTHORS)} + 1), id from ${sql.table(each.table)} where id <= ${sql.lit(rows)}`.execute(
    database.main.writer,
  )
}

async function pages(content: Content, note: Note) {
  const filter = {
    kind: 'compare',
    field: 'mood',
    operator: 'eq',
    fold: false,
    values: ['calm'],
  } as const
  const sort = [{ path: ['title'], order: 'asc' }] as const
  const include = [
    {
      field: 'author',
      filter: null,
      sort: [],
      start: 0,
      limit: 1,
      include: [],
      depth: 'entries',
      named: true,
    },
  ] as const
  const times = { small: 0, large: 0 }
  for (const name of ['small', 'large'] as const) {
    times[name] = await median(content, { ...query(content, name), filter, sort, include })
    note(`filtered and sorted page with a relation, ${name}`, times[name], 'ms')
  }
  note('the same, 1,000,000 / 10,000', times.large / times.small, 'x', { atMost: 2 })
  const sorted = { ...query(content, 'large'), sort }
  const first = await median(content, sorted)
  const position = ['Title 999999', LARGE * 2]
  const last = await median(content, { ...sorted, page: { ...FIRST, position, direction: 'prev' } })
  note('page before the last position by cursor / first page', last / first, 'x', { atMost: 1.5 })
  const rare = {
    ...filter,
    field: 'title',
    operator: 'eq',
    fold: true,
    values: ['TITLE 7919'],
  } as const
  const newest = [{ path: ['createdAt'], order: 'desc' }] as const
  note(
    'rare filter, other sort',
    await median(content, { ...query(content, 'large'), filter: rare, sort: newest }),
    'ms',
  )
  const byAuthor = { ...filter, field: 'author', operator: 'eq', values: [7] } as const
  note(
    'entries of one author, sorted',
    await median(content, { ...query(content, 'large'), filter: byAuthor, sort }),
    'ms',
  )
  const last20: PageChoice = { kind: 'offset', start: LARGE - 20, limit: 20, count: false }
  note('last page by offset', await median(content, { ...sorted, page: last20 }, 5), 'ms')
  const counted: PageChoice = { kind: 'offset', start: 0, limit: 20, count: true }
  note(
    'page with a count of 250,000',
    await median(content, { ...sorted, filter, page: counted }, 5),
    'ms',
  )
  note(
    'page with a count of 1,000,000',
    await median(content, { ...sorted, page: counted }, 5),
    'ms',
  )
}

/** What no index serves; each ends at the limit of a read, which is then what it shows. */
async function scans(content: Content, note: Note) {
  const large = query(content, 'large')
  const contains = { kind: 'compare', operator: 'contains', fold: true } as const
  const filter = { ...contains, field: 'body', values: ['nowhere'] }
  const by = (order: 'asc' | 'desc', ...path: string[]) => [{ path, order }]
  const asked: [what: string, query: ContentQuery][] = [
    ['substring that is nowhere', { ...large, filter }],
    ['sort without an index', { ...large, sort: by('asc', 'body') }],
    ['sort through a relation', { ...large, sort: by('asc', 'author', 'name') }],
    ['descending sort over 250,000 equal values', { ...large, sort: by('desc', 'mood') }],
  ]
  for (const [what, each] of asked) {
    note(what, await timeOf(() => content.find(READER, each).catch(() => {})), 'ms')
  }
}

function query(content: Content, name: string): ContentQuery {
  const all = { filter: null, search: '', sort: [], include: [] }
  return {
    type: typeOf(content, name),
    state: 'live',
    locale: { kind: 'default' },
    page: FIRST,
    ...all,
  }
}

function typeOf(content: Content, name: string): ContentType {
  const found = content.model().findType(name)
  if (!found) throw new Error(`no type ${name}`)
  return found
}

async function median(content: Content, asked: ContentQuery, runs = 50): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < runs; n++) times.push(await timeOf(() => content.find(READER, asked)))
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
