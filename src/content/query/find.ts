import { type Cells, type Database, rowsWith } from '#db'
import type { EntryTarget } from '../entries/ports.ts'
import type { Entry, EntryPage, FilePage } from '../entry.ts'
import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { AnyQuery, ContentQuery, FilesQuery, ListQuery, LocaleChoice, Scalar } from './ast.ts'
import { toFile } from './load/files.ts'
import { type Loaded, toEntries } from './load/load.ts'
import { isCurrent, NONE_RENEWED, positionIn, refuseTooMany, renewDocuments } from './load/rows.ts'
import { makePlan, type Plan, sizeOf } from './plan.ts'
import { resolve } from './resolve.ts'
import { createRunner } from './run.ts'
import { isScattered, makeScatteredPlan, pickPage, type ScatteredPlan } from './scattered.ts'
import type { Operand, Values } from './slot.ts'
import { endsAhead } from './sql/compile.ts'
import { createPlanning } from './sql/context.ts'
import { createTemplates, type Prepared, type Question } from './templates.ts'
import { firstPage } from './walk.ts'

export interface FindDeps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
  countPlan(): void
  /** Related entries and files that one answer may show; as many as there are when absent. */
  readonly mostRelated?: number
}

export type OneQuery = Omit<ContentQuery, 'page' | 'sort' | 'search' | 'only'>

/** What is read of a template: the query, and whatever else the dialect needs. */
interface AnyRead {
  readonly query: AnyQuery
}

export interface EntriesRead {
  readonly query: ContentQuery | ListQuery
}

export interface FilesRead {
  readonly query: FilesQuery
}

/** A question that is ready to be asked; without a plan it has no answer but an empty list. */
type AnyPlan = Plan | ScatteredPlan | null
type PreparedPage<Read extends AnyRead> = Prepared<Read, AnyPlan>
export type PreparedEntries<Read extends EntriesRead = EntriesRead> = PreparedPage<Read>
export type PreparedFiles<Read extends FilesRead = FilesRead> = PreparedPage<Read>

/** Prepares the questions of one kind; refuses what is wrong with them. */
type Templates<Read extends AnyRead> = (
  viewer: Viewer,
  question: Question<Read>,
) => PreparedPage<Read>
export type EntryTemplates<Read extends EntriesRead> = Templates<Read>
export type FileTemplates<Read extends FilesRead> = Templates<Read>

/** The rows of a page in the order of its list, and what is known beside them. */
interface FoundPage extends Omit<EntryPage, 'entries' | 'positionOf'> {
  /** Of every step. */
  readonly rows: readonly (readonly Cells[])[]
  readonly shown: readonly Cells[]
}

interface Asked {
  readonly plan: Plan | null
  readonly values: Values
  readonly asker: Viewer['asker']
}

interface AskedScattered extends Omit<Asked, 'plan'> {
  readonly plan: ScatteredPlan
}

function sizeOfAny(plan: AnyPlan): number {
  if (!plan) return 0
  const parts = 'scattered' in plan ? plan.parts.reduce((sum, part) => sum + sizeOf(part), 0) : 0
  return sizeOf(plan) + parts
}

const NONE: FoundPage = { rows: [], shown: [], total: 0, hasMore: false, hasPrevious: false }

/** Everything that reads entries and files, for whatever dialect. */
export function createFind({
  db,
  model,
  countPlan,
  mostRelated = Number.POSITIVE_INFINITY,
}: FindDeps) {
  const { dialect } = db
  const runner = createRunner(db.main)
  const prepareOwn = entryTemplates()
  return { entryTemplates, readEntries, find, findOne, fileTemplates, readFiles }

  function entryTemplates<Read extends EntriesRead = EntriesRead>(): EntryTemplates<Read> {
    return createTemplates<Read, AnyRead, AnyPlan>({ model, make, sizeOf: sizeOfAny })
  }

  function fileTemplates<Read extends FilesRead = FilesRead>(): FileTemplates<Read> {
    return createTemplates<Read, AnyRead, AnyPlan>({ model, make, sizeOf: sizeOfAny })
  }

  function make(viewer: Viewer, { query }: AnyRead): AnyPlan {
    const snapshot = model()
    const resolved = resolve(snapshot, viewer, query)
    if (resolved.parts.length === 0) return null
    const to = { ...runner, dialect, countPlan, mostRelated }
    const planning = createPlanning(to, snapshot, resolved.locale)
    return isScattered(resolved)
      ? makeScatteredPlan(planning, resolved)
      : makePlan(planning, resolved)
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
    const { plan, values, asker } = asked
    return plan && 'scattered' in plan
      ? readScattered({ plan, values, asker })
      : readOwn({ plan, values, asker })
  }

  async function readOwn(asked: Asked): Promise<EntryPage> {
    const { plan, values } = asked
    const { rows, shown, ...about } = await readPage(asked)
    if (!plan) return { ...about, entries: [], positionOf: noPosition }
    const renewed = isCurrent(plan.documented, rows)
      ? NONE_RENEWED
      : await renewDocuments({ run: runner.run, dialect }, plan.documented, rows)
    const entries = entriesOf(plan, { rows, values, renewed }, shown)
    const positionOf = (entry: Entry) => toPosition(plan, shown[entries.indexOf(entry)])
    return { ...about, entries, positionOf }
  }

  /** Keys first, then the rows of the page type by type: what is removed between both is left out. */
  async function readScattered({ plan, values, asker }: AskedScattered): Promise<EntryPage> {
    const { rows } = await runner.runPlanned(plan.asking, values, asker)
    const { page, total, hasMore } = pickPage(plan, values, rows)
    const found = new Map<number, Entry>()
    const ofParts = [...Map.groupBy(page, ({ part }) => part)]
    await Promise.all(
      ofParts.map(async ([part, keys]) => {
        const copies = keys.map(({ copyNo }) => String(copyNo))
        const own = { plan: plan.parts[part] ?? null, values: [...values, copies], asker }
        for (const entry of (await readOwn(own)).entries) {
          found.set(entry.copyNo, entry)
        }
      }),
    )
    const entries = page.flatMap(({ copyNo }) => found.get(copyNo) ?? [])
    return {
      entries,
      total,
      hasMore,
      hasPrevious: plan.walk.start !== null,
      positionOf: noPosition,
    }
  }

  async function readFiles({ plan, values, asker }: PreparedFiles): Promise<FilePage> {
    if (plan && 'scattered' in plan) throw new Error('files are of one kind')
    const { shown, total } = await readPage({ plan, values, asker })
    return { files: shown.map((row) => toFile(row, 0)), total }
  }

  async function readPage({ plan, values, asker }: Asked): Promise<FoundPage> {
    if (!plan) return NONE
    const { walk, aside, countedBy } = plan
    const { rows } = await runner.runPlanned(plan.asking, values, asker)
    refuseTooMany(plan.related, rows, mostRelated)
    const found = rows[0] ?? []
    const limit = walk.limit.of(values)
    const shown = found.slice(0, limit)
    if (walk.backwards) shown.reverse()
    const counted =
      countedBy === null
        ? (found[0]?.slice(plan.countedAt) ?? (await countAside()))
        : (rows[countedBy]?.[0] ?? null)
    const { total, isBehind, isAhead } = besideOf(plan, counted)
    const goesOn = found.length > limit || isAhead
    return { rows, shown, total, ...neighbours(plan, goesOn, isBehind) }

    /** Comes with the rows; a page without any, past the end, asks once more. Null: there are none at all. */
    async function countAside(): Promise<Cells | null> {
      if (isFirst(walk)) return null
      if (!walk.count && !walk.after && !endsAhead(walk)) return []
      return (await runner.runPlanned(aside, values, asker)).rows[0]?.[0] ?? []
    }
  }
}

/** Made type by type, shown in the order of the page. */
function entriesOf(plan: Plan, loaded: Loaded, shown: readonly Cells[]): readonly Entry[] {
  const { parts, partAt } = plan
  const found = parts.map(({ scope, includes }, at) => {
    const rows = partAt === null ? shown : rowsWith(shown, { column: partAt, value: at })
    return scope.kind === 'file' ? [] : toEntries(loaded, scope.type, rows, 0, includes)
  })
  if (partAt === null) return found[0] ?? []
  const next = found.map((entries) => entries.values())
  return shown.flatMap((row) => next[Number(row[partAt])]?.next().value ?? [])
}

function noPosition(): never {
  throw new Error('an empty page has no positions')
}

function besideOf({ walk }: Plan, cells: Cells | null): Beside {
  const { count } = walk
  if (!cells) return { total: count ? 0 : null, isBehind: false, isAhead: false }
  const total = count ? Number(cells[0] ?? 0) : null
  const rest = count ? cells.slice(1) : cells
  const isBehind = walk.after ? rest[0] === 1 : walk.start !== null && total !== 0
  return { total, isBehind, isAhead: endsAhead(walk) && rest[walk.after ? 1 : 0] === 1 }
}

interface Beside {
  readonly total: number | null
  readonly isBehind: boolean
  readonly isAhead: boolean
}

/** Which entry is meant, its id or document known when it is asked for. */
type OneTarget =
  | { readonly id: Operand<number> }
  | { readonly documentId: Operand<string>; readonly locale: string | null }

/** The query of one entry. */
export function oneOf(query: OneQuery, target: OneTarget): ContentQuery {
  const only = 'id' in target ? { id: target.id } : { documentId: target.documentId }
  const page = firstPage(1)
  return { ...query, locale: localeFor(query.locale, target), search: '', sort: [], page, only }
}

/** An id already names a variant; a document is shown in the locale of the target, if it has one. */
function localeFor(asked: LocaleChoice, target: OneTarget): LocaleChoice {
  if ('id' in target) return { kind: 'all' }
  if (target.locale === null) return asked
  const fallback = asked.kind === 'one' ? asked.fallback : []
  return { kind: 'one', code: target.locale, fallback }
}

/** A page without rows then means a list without any. */
function isFirst({ start, after, until }: Plan['walk']): boolean {
  return start === null && after === null && until === null
}

function neighbours({ walk }: Plan, goesOn: boolean, isBehind: boolean) {
  return walk.backwards
    ? { hasMore: isBehind, hasPrevious: goesOn }
    : { hasMore: goesOn, hasPrevious: isBehind }
}

function toPosition({ keys, sortedAt }: Plan, row: Cells | undefined): readonly Scalar[] {
  if (!row || sortedAt === null) throw new Error('the page has no position of this entry')
  return positionIn(row, keys, sortedAt)
}
