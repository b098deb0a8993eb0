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
import { INDEX, searchedOf } from './indexed.ts'
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

const MOST_ON_PAGE = 100

interface FoundRow {
  readonly total: number
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
    const rows = await runner.run(statement({ ...query, types }), true)
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

  function statement({ terms, types, state, locale, start, limit }: SearchQuery): Piece<FoundRow> {
    const parts = terms.map(partOf)
    // Titles come first, so all that is found is looked at before the first is shown.
    const reach = MOST_FOUND + 1
    const own = dialect.isOneOf(
      sql`r.type_no`,
      types.map(({ no }) => no),
      'integer',
    )
    const conditions = [
      dialect.withinDeadline('r.no'),
      sql`${sql.ref(state === 'live' ? 'r.live' : 'r.work')} = 1`,
      own,
      ...(locale === null ? [] : [inLocale(types, locale)]),
    ]
    const isInText = allOf(has('r.text'))
    const rank = sql`case when ${allOf(has('r.title'))} then 1 else 0 end`
    // Each by itself, so that the index of trigrams is read backwards, and no further than needed.
    const parted = [
      dialect.textIndex.maybeHaving(INDEX, parts),
      dialect.textIndex.waiting(INDEX),
    ].map(
      (maybe) =>
        sql`select * from (select r.no, ${rank} as rank from (${maybe}) as m cross join content_search as r where r.no = m.no and ${allOf(conditions)} and ${isInText} order by m.no desc limit ${reach}) as f`,
    )
    const found = sql`select no, rank from (${sql.join([...parted, ...inZonesOnly()], sql` union all `)}) as a order by no desc limit ${reach}`
    const end = Math.min(start + limit, MOST_FOUND)
    const page = sql`select no, rank from found order by rank desc, no desc limit ${Math.max(0, end - start)} offset ${start}`
    return sql<FoundRow>`with found as materialized (${found}) select c.total, p.no, e.type_no, e.id from (select count(*) as total from found) as c left join (${page}) as p on 1 = 1 left join content_search as e on e.no = p.no order by p.rank desc, p.no desc`

    /** What no index holds is read: entries that have some of the words only in their zones. */
    function inZonesOnly(): readonly Sql[] {
      const zoned = types.map((type) => ({ no: type.no, zones: zoneTextsOf(model(), type) }))
      const having = zoned.filter(({ zones }) => zones.length > 0)
      if (having.length === 0) return []
      const zones = having.flatMap((each) => each.zones)
      const all = parts.map((part) => {
        const inText = dialect.contains(sql.ref('r.text'), sql.val(part))
        return anyOf([inText, ...inZones(zones, sql.ref('r.no'), spacedContains(dialect, part))])
      })
      const ofThese = dialect.isOneOf(
        sql`r.type_no`,
        having.map(({ no }) => no),
        'integer',
      )
      return [
        sql`select * from (select r.no, ${rank} as rank from content_search as r where ${allOf([...conditions, ofThese, ...all])} and not (${isInText}) order by r.no desc limit ${reach}) as f`,
      ]
    }

    function has(column: string): readonly Sql[] {
      return parts.map((part) => dialect.contains(sql.ref(column), sql.val(part)))
    }
  }

  /** Entries of types without languages are found in each. */
  function inLocale(types: SearchQuery['types'], locale: string): Sql {
    const without = types.filter(({ localized }) => !localized).map(({ no }) => no)
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
