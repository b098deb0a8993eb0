import type { Cells, Database } from '#kernel'
import type { EntryTarget } from '../entries/ports.ts'
import type { Entry, EntryPage } from '../entry.ts'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { ContentQuery, LocaleChoice, Scalar } from './ast.ts'
import { isCurrent, NONE_RENEWED, renewDocuments } from './load/current.ts'
import { toEntries } from './load/load.ts'
import { makePlan, type Plan, sizeOf } from './plan.ts'
import { createPlanning } from './planning.ts'
import { resolve } from './resolve.ts'
import { createRunner } from './run.ts'
import type { Operand } from './slot.ts'
import { createTemplates, type Prepared, type Question } from './templates.ts'

interface Deps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
  countPlan(): void
}

export type OneQuery = Omit<ContentQuery, 'page' | 'sort' | 'search' | 'only'>

/** What is read of a template of entries: the query, and whatever else the dialect needs. */
export interface EntriesRead {
  readonly query: ContentQuery
}

/** A question of entries that is ready to be asked. */
export type PreparedEntries<Read extends EntriesRead = EntriesRead> = Prepared<Read, Plan>

/** Prepares the questions of one kind; refuses what is wrong with them. */
export type EntryTemplates<Read extends EntriesRead> = (
  viewer: Viewer,
  question: Question<Read>,
) => PreparedEntries<Read>

/** Everything that reads entries, for whatever dialect. */
export function createFind({ db, model, countPlan }: Deps) {
  const { dialect } = db
  const runner = createRunner(db.main)
  const prepareOwn = entryTemplates<EntriesRead>()
  return { entryTemplates, readEntries, find, findOne }

  function entryTemplates<Read extends EntriesRead = EntriesRead>(): EntryTemplates<Read> {
    return createTemplates<Read, EntriesRead, Plan>({ model, make, sizeOf })
  }

  function make(viewer: Viewer, { query }: EntriesRead): Plan {
    const snapshot = model()
    const planning = createPlanning({ ...runner, dialect, countPlan }, snapshot)
    return makePlan(planning, resolve(snapshot, viewer, query))
  }

  /** For questions of our own: all that stands in the query belongs to its template. */
  async function find(viewer: Viewer, query: ContentQuery): Promise<EntryPage> {
    const template = JSON.stringify({ ...query, type: query.type.no })
    const read = () => ({ query })
    return readEntries(prepareOwn(viewer, { model: model(), template, values: [], read }))
  }

  /** The same of one entry, whose id may vary; undefined when it does not exist for this viewer. */
  async function findOne(
    viewer: Viewer,
    query: OneQuery,
    target: EntryTarget,
  ): Promise<Entry | undefined> {
    const isId = 'id' in target
    const variant = isId ? null : target.locale
    const { entries } = await readEntries(
      prepareOwn(viewer, {
        model: model(),
        template: JSON.stringify([isId, variant, { ...query, type: query.type.no }]),
        values: [isId ? target.id : target.documentId],
        read: ({ whole, text }) => ({
          query: oneOf(query, isId ? { id: whole(0) } : { documentId: text(0), locale: variant }),
        }),
      }),
    )
    return entries[0]
  }

  async function readEntries(asked: PreparedEntries): Promise<EntryPage> {
    const { plan, values } = asked
    const { rows } = await runner.runPlanned(plan.asking, values)
    const renewed = isCurrent(plan.documented, rows)
      ? NONE_RENEWED
      : await renewDocuments({ run: runner.run, dialect }, plan.documented, rows)
    const found = rows[0] ?? []
    const limit = plan.walk.limit.of(values)
    const shown = found.slice(0, limit)
    if (plan.walk.backwards) shown.reverse()
    const entries = toEntries({ rows, values, renewed }, plan.type, shown, 0, plan.includes)
    const counted = found[0]?.slice(plan.countedAt) ?? (await countAside(asked))
    const { total, isBehind } = besideOf(plan, counted)
    return {
      entries,
      total,
      ...neighbours(plan, found.length > limit, isBehind),
      positionOf: (entry) => toPosition(plan, shown[entries.indexOf(entry)]),
    }
  }

  /** Comes with the rows; a page without any, past the end, asks once more. Null: there are none at all. */
  async function countAside({ plan, values }: PreparedEntries): Promise<Cells | null> {
    const { walk } = plan
    if (isFirst(walk)) return null
    if (!walk.count && !walk.after) return []
    const { rows } = await runner.runPlanned(plan.aside, values)
    return rows[0]?.[0] ?? []
  }
}

function besideOf({ walk }: Plan, cells: Cells | null): Beside {
  const { count } = walk
  if (!cells) return { total: count ? 0 : null, isBehind: false }
  const total = count ? Number(cells[0] ?? 0) : null
  const isBehind = walk.after ? cells[count ? 1 : 0] === 1 : !isFirst(walk) && total !== 0
  return { total, isBehind }
}

interface Beside {
  readonly total: number | null
  readonly isBehind: boolean
}

/** Which entry is meant, its id or document known when it is asked for. */
type OneTarget =
  | { readonly id: Operand<number> }
  | { readonly documentId: Operand<string>; readonly locale: string | null }

/** The query of one entry. */
export function oneOf(query: OneQuery, target: OneTarget): ContentQuery {
  const only = 'id' in target ? { id: target.id } : { documentId: target.documentId }
  const page = { kind: 'offset', start: 0, limit: 1, count: false } as const
  return { ...query, locale: localeFor(query.locale, target), search: '', sort: [], page, only }
}

/** An id already names a variant; a document is shown in the locale of the target, if it has one. */
function localeFor(asked: LocaleChoice, target: OneTarget): LocaleChoice {
  if ('id' in target) return { kind: 'all' }
  if (target.locale === null) return asked
  const fallback = asked.kind === 'one' ? asked.fallback : []
  return { kind: 'one', code: target.locale, fallback }
}

function isFirst({ start, after }: Plan['walk']): boolean {
  return start === null && after === null
}

function neighbours({ walk }: Plan, goesOn: boolean, isBehind: boolean) {
  return walk.backwards
    ? { hasMore: isBehind, hasPrevious: goesOn }
    : { hasMore: goesOn, hasPrevious: isBehind }
}

/** One value for each sort key, the id last; of text the text itself, whose fold follows from it. */
function toPosition({ keys, sortedAt }: Plan, row: Cells | undefined): readonly Scalar[] {
  if (!row || sortedAt === null) throw new Error('the page has no position of this entry')
  const values: Scalar[] = []
  keys.forEach((key, at) => {
    if (!key.isFold) values[key.part] = toScalar(row[sortedAt + at])
  })
  return values
}

function toScalar(cell: Cells[number] | undefined): Scalar {
  return typeof cell === 'string' || typeof cell === 'number' ? cell : null
}
