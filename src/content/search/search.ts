import type { Database } from '#db'
import { textOfBlocks } from '../blocks/text.ts'
import type { Entry } from '../entry.ts'
import { wireKindOf } from '../fields/index.ts'
import type { JsonValue } from '../json.ts'
import type { ContentModel, ContentType, ScalarAttribute } from '../model.ts'
import { mayRead } from '../permissions.ts'
import type { CopyState } from '../query/ast.ts'
import type { createFind } from '../query/find.ts'
import { type Piece, type Sql, sql } from '../query/fragment.ts'
import { requireState } from '../query/rights.ts'
import { createRunner } from '../query/run.ts'
import { allOf, anyOf } from '../query/sql/context.ts'
import { firstPage } from '../query/walk.ts'
import type { Viewer } from '../viewer.ts'
import { highlight } from './highlight.ts'
import { INDEX, indexedOf, searchedOf } from './indexed.ts'
import { findWaitingTypes } from './store.ts'
import { askedRow, hasTerm } from './term-in-row.ts'
import { partOf, type Term } from './terms.ts'
import { inZones, spacedContains, zoneTextsOf } from './zone-texts.ts'

interface Deps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
  readonly find: Pick<ReturnType<typeof createFind>, 'entryTemplates' | 'readEntries'>
}

/** A question to all types at once. */
export interface SearchQuery {
  readonly terms: readonly Term[]
  readonly types: readonly ContentType[]
  readonly state: CopyState
  /** Null: every language. Types that are not localised always belong to it. */
  readonly locale: string | null
  readonly start: number
  readonly limit: number
  readonly count: boolean
}

export interface SearchHit {
  readonly entry: Entry
  /** By attribute: pieces of HTML in which what was found is marked. */
  readonly highlights: Readonly<Record<string, string>>
}

export interface SearchPage {
  readonly hits: readonly SearchHit[]
  /** Null when no count was asked for; never more than `MOST_FOUND`. */
  readonly total: number | null
  readonly isCapped: boolean
  readonly hasMore: boolean
  /** Types of which no entries can be found yet. */
  readonly incomplete: readonly ContentType[]
}

/** Nobody looks further, and counting further would take long. */
const MOST_FOUND = 10_000
const REACH = MOST_FOUND + 1

const MOST_ON_PAGE = 100

interface FoundRow {
  readonly total: number
  /** Copies wait that the statement has not looked at. */
  readonly unread: number
  readonly no: number | null
  readonly type_no: number | null
  readonly id: number | null
}

/**
 * Finds entries of all types by words, of more than `MOST_FOUND` those whose copies were made last. What has all
 * words in its display field comes first, then what has them anywhere; in each group the newest copy comes first.
 */
export function createSearch({ db, model, find }: Deps) {
  const { dialect } = db
  const runner = createRunner(db.main)
  const prepare = find.entryTemplates()
  return { search }

  async function search(viewer: Viewer, query: SearchQuery): Promise<SearchPage> {
    requireState(viewer, query.state)
    const asked = query.types.filter((type) => mayRead(viewer, type))
    // What the index still holds of the others may be of attributes that are private by now.
    const types = asked.filter(({ searched }) => searched)
    const incomplete = asked.filter(({ searched }) => !searched)
    const rows = await findRows({ ...query, types }, viewer.asker)
    const found = Number(rows[0]?.total ?? 0)
    const entries = await load(viewer, query.state, rows)
    return {
      hits: entries.map((entry) => ({ entry, highlights: highlightsOf(entry, query.terms) })),
      total: query.count ? Math.min(found, MOST_FOUND) : null,
      isCapped: query.count && found > MOST_FOUND,
      hasMore: Math.min(found, MOST_FOUND) > query.start + query.limit,
      incomplete,
    }
  }

  /** Copies that wait are read from the tables of their types, which a statement has to name: those in which some wait. */
  async function findRows(
    query: SearchQuery,
    asker: Viewer['asker'],
  ): Promise<readonly FoundRow[]> {
    let waiting: ReadonlySet<number> = new Set()
    for (;;) {
      waiting = waiting.union(await findWaitingTypes(db.main.reader))
      const rows = await runner.run(statement(query, waiting), true, { asker })
      // A copy of another type was written meanwhile, and might be found neither as it was nor as it is.
      if (Number(rows[0]?.unread ?? 0) === 0) return rows
    }
  }

  function statement(query: SearchQuery, waiting: ReadonlySet<number>): Piece<FoundRow> {
    const { terms, types, start, limit } = query
    const { asked, row } = askedRow(terms, 'asked')
    const read = types.filter(({ no }) => waiting.has(no))
    const parted = [...fromIndex(query), ...read.map((type) => fromTable(query, type, asked))]
    // Titles come first, so all that is found is looked at before the first is shown.
    const newest = parted.map((part) => sql`select * from (${part} limit ${REACH}) as f`)
    const found = sql`select * from (${unionOf(newest)}) as a order by no desc limit ${REACH}`
    const end = Math.min(start + limit, MOST_FOUND)
    const page = sql`select * from found order by rank desc, no desc limit ${Math.max(0, end - start)} offset ${start}`
    return sql<FoundRow>`with asked as (${row}), found as materialized (${found}) select c.total, (${isUnread(types, waiting)}) as unread, p.no, p.type_no, p.id from (select count(*) as total from found) as c left join (${page}) as p on 1 = 1 order by p.rank desc, p.no desc`
  }

  function isUnread(types: SearchQuery['types'], read: ReadonlySet<number>): Sql {
    const others = numbersOf(types).filter((no) => !read.has(no))
    if (others.length === 0) return sql.lit(0)
    const own = dialect.isOneOf(sql`w.table_no`, others, 'integer')
    return sql`select count(*) from (select 1 from content_search_waiting as w where ${own} limit 1) as u`
  }

  /** What the index has taken in; each by itself, so that the index of trigrams is read backwards, and no further than needed. */
  function fromIndex({ terms, types, state, locale }: SearchQuery): readonly Sql[] {
    const parts = terms.map(partOf)
    const has = (column: string) =>
      parts.map((part) => dialect.contains(sql.ref(column), sql.val(part)))
    const conditions = [
      dialect.withinDeadline('r.no'),
      sql`${sql.ref(state === 'live' ? 'r.live' : 'r.work')} = 1`,
      dialect.isOneOf(sql`r.type_no`, numbersOf(types), 'integer'),
      ...(locale === null ? [] : [inLocale(types, locale)]),
    ]
    const rank = sql`case when ${allOf(has('r.title'))} then 1 else 0 end`
    const shown = sql`select r.no, r.type_no, r.id, ${rank} as rank`
    const isInText = allOf(has('r.text'))
    const maybe = dialect.textIndex.maybeHaving(INDEX, parts)
    return [
      sql`${shown} from (${maybe}) as m cross join content_search as r where r.no = m.no and ${allOf(conditions)} and ${isInText} order by m.no desc`,
      ...inZonesOnly(),
    ]

    /** What no index holds is read: entries that have some of the words only in their zones. */
    function inZonesOnly(): readonly Sql[] {
      const zoned = types.map((type) => ({ no: type.no, zones: zoneTextsOf(model(), type) }))
      const having = zoned.filter(({ zones }) => zones.length > 0)
      if (having.length === 0) return []
      const zones = having.flatMap((each) => each.zones)
      const all = parts.map((part) => {
        const inText = dialect.contains(sql.ref('r.text'), sql.val(part))
        return anyOf([
          inText,
          ...inZones(zones, sql.ref('r.no'), spacedContains(dialect, sql.val(part))),
        ])
      })
      const ofThese = dialect.isOneOf(sql`r.type_no`, numbersOf(having), 'integer')
      const isCurrent = dialect.textIndex.isTakenIn(INDEX, sql.ref('r.no'))
      return [
        sql`${shown} from content_search as r where ${allOf([...conditions, isCurrent, ofThese, ...all])} and not (${isInText}) order by r.no desc`,
      ]
    }
  }

  /** What waits of a type: its texts are made while they are looked at. */
  function fromTable({ state, locale }: SearchQuery, type: ContentType, asked: AskedTerms): Sql {
    const { title, text } = indexedOf(type)
    const zones = zoneTextsOf(model(), type)
    const all = asked.map((term) => {
      const inZone = inZones(zones, sql.ref('v.copy_no'), spacedContains(dialect, term.part))
      return anyOf([hasTerm(dialect, text, 'v', term), ...inZone])
    })
    const conditions = [
      dialect.withinDeadline('v.copy_no'),
      sql`${sql.ref(state === 'live' ? 'v.live' : 'v.work')} = 1`,
      ...(locale === null || !type.localized ? [] : [sql`v.locale = ${locale}`]),
      ...all,
    ]
    const isTitled = allOf(asked.map((term) => hasTerm(dialect, title, 'v', term)))
    return sql`select v.copy_no as no, ${sql.lit(type.no)} as type_no, v.id, case when ${isTitled} then 1 else 0 end as rank from asked cross join (${dialect.textIndex.waiting(INDEX, type.no)}) as w cross join ${sql.table(type.table)} as v where v.copy_no = w.no and ${allOf(conditions)} order by w.no desc`
  }

  /** Entries of types without languages are found in each. */
  function inLocale(types: SearchQuery['types'], locale: string): Sql {
    const without = numbersOf(types.filter(({ localized }) => !localized))
    return sql`(r.locale = ${locale} or ${dialect.isOneOf(sql`r.type_no`, without, 'integer')})`
  }

  /** One statement for each type that has entries on the page. */
  async function load(
    viewer: Viewer,
    state: CopyState,
    rows: readonly FoundRow[],
  ): Promise<readonly Entry[]> {
    const current = model()
    const byType = Map.groupBy(rows, (row) => row.type_no ?? 0)
    const found = new Map<number, Entry>()
    await Promise.all(
      [...byType].map(async ([typeNo, own]) => {
        const type = current.typeByNo(typeNo)
        if (!type) return
        const ids = own.map(({ id }) => String(id))
        for (const entry of await loadType(viewer, current, type, state, ids)) {
          found.set(entry.copyNo, entry)
        }
      }),
    )
    return rows.flatMap(({ no }) => found.get(no ?? 0) ?? [])
  }

  async function loadType(
    viewer: Viewer,
    current: ContentModel,
    type: ContentType,
    state: CopyState,
    ids: readonly string[],
  ): Promise<readonly Entry[]> {
    const asked = prepare(viewer, {
      model: current,
      template: JSON.stringify([type.no, state]),
      values: [ids],
      read: (slots) => ({
        query: {
          ...{ type, state, locale: { kind: 'all' }, search: '', sort: [], include: [] },
          page: firstPage(MOST_ON_PAGE),
          filter: {
            ...{ kind: 'compare', field: 'id', operator: 'in', fold: false, values: [] },
            list: slots.list(0),
          },
        },
      }),
    })
    return (await find.readEntries(asked)).entries
  }
}

type AskedTerms = ReturnType<typeof askedRow>['asked']

/** SQLite takes 500 side by side. */
const SIDE_BY_SIDE = 200

function unionOf(parts: readonly Sql[]): Sql {
  if (parts.length <= SIDE_BY_SIDE) return sql.join(parts, sql` union all `)
  const groups = Array.from({ length: Math.ceil(parts.length / SIDE_BY_SIDE) }, (_, at) =>
    parts.slice(at * SIDE_BY_SIDE, (at + 1) * SIDE_BY_SIDE),
  )
  return unionOf(groups.map((group) => sql`select * from (${unionOf(group)}) as g`))
}

function numbersOf(types: readonly Pick<ContentType, 'no'>[]): number[] {
  return types.map(({ no }) => no)
}

function highlightsOf(entry: Entry, terms: readonly Term[]): Record<string, string> {
  const all = entry.values()
  const marked = searchedOf(entry.type).flatMap((attribute) => {
    const value = all[attribute.name]
    const text = shownText(attribute, value)
    if (typeof text !== 'string') return []
    const found = highlight(text, terms, { markup: wireKindOf(attribute) === 'markup' })
    return found === null ? [] : [[attribute.name, found] as const]
  })
  return Object.fromEntries(marked)
}

function shownText(attribute: ScalarAttribute, value: JsonValue | undefined): unknown {
  if (wireKindOf(attribute) === 'blocks') return textOfBlocks(value ?? null)
  return Array.isArray(value) ? value.join(', ') : value
}
