import { writerOf } from '#access'
import { type Entry, type EntryTarget, orChange, viewerOf, type Written } from '#content'
import { seenByWriter, UNSEEN, workingCopies } from '#content-dialect'
import { firstPage, type LocaleChoice } from '#content-query'
import type { Tx } from '#db'
import { notFound } from '#kernel'
import { withBody } from './body/form.ts'
import { type Body, fault, localeOf, parseFlatBody } from './body/parse.ts'
import type { CmsDeps } from './deps.ts'
import { badQuery, splitQuery } from './query/brackets.ts'
import { LOCALIZATIONS, type Selection } from './query/level.ts'
import { type ParsedOne, parseOne } from './query/parse.ts'
import { plainInclude } from './query/populate.ts'
import { parseStatus } from './query/showing.ts'
import { type Form, renderLocalization, renderOne } from './render/entry.ts'
import { findPeople } from './render/people.ts'
import { type Context, formOf, rulesOf } from './request.ts'
import { getTarget, localeFor } from './target.ts'

/** Everything that is wrong with a request is found before its first write (contract §6). */
export function createWrites(deps: CmsDeps) {
  const { content } = deps
  const { entries } = content
  return { create, update, remove, addVariant, putSingle, removeSingle, addVariantOfSingle }

  async function create(context: Context): Promise<string> {
    const parsed = await parse(context)
    const written = withBody(deps, context, (body, tx) => insert(context, parsed, body, tx))
    return answer(context, parsed, await written)
  }

  async function update(context: Context): Promise<string> {
    const parsed = await parse(context)
    const target = getTarget(context.id, parsed.query.locale)
    const written = withBody(deps, context, (body, tx) => change(context, parsed, target, body, tx))
    return answer(context, parsed, await written)
  }

  async function remove(context: Context): Promise<string> {
    const parsed = await parse(context)
    const target = getTarget(context.id, parsed.query.locale)
    const isDocument = 'documentId' in target && parsed.query.locale.kind === 'default'
    return take(context, parsed, target, isDocument || parsed.query.locale.kind === 'all')
  }

  async function addVariant(context: Context): Promise<string> {
    const target = getTarget(context.id, { kind: 'default' })
    return localize(context, await find(context, target))
  }

  async function addVariantOfSingle(context: Context): Promise<string> {
    return localize(context, await findSingle(context, { kind: 'all' }))
  }

  /** Creates the single, or this language of it, when it is not there yet. */
  async function putSingle(context: Context): Promise<string> {
    const parsed = await parse(context)
    const existing = await findSingle(context, parsed.query.locale)
    const other = existing ?? (await findSingle(context, { kind: 'all' }))
    const written = await withBody(deps, context, (body, tx) => {
      if (existing) return change(context, parsed, { id: existing.id }, body, tx)
      return orChange(insert(context, parsed, body, tx, other?.documentId), async () => {
        const now = await findSingle(context, parsed.query.locale)
        return now && change(context, parsed, { id: now.id }, body, tx)
      })
    })
    return answer(context, parsed, written)
  }

  async function removeSingle(context: Context): Promise<string> {
    const parsed = await parse(context)
    const existing = await findSingle(context, parsed.query.locale)
    if (!existing) throw notFound('entry')
    const allLocales = parsed.query.locale.kind === 'all'
    return take(context, parsed, { id: existing.id }, allLocales)
  }

  async function insert(
    { request, type, model }: Context,
    { raw, query }: ParsedOne,
    body: Body,
    tx: Tx | undefined,
    documentId?: string,
  ): Promise<Written> {
    if (query.locale.kind === 'all') throw fault('locale', 'An entry is written in one language')
    const asked = query.locale.kind === 'one' ? query.locale.code : undefined
    const { publishedAtMs } = body
    const isDraft = parseStatus(raw) === 'working' || publishedAtMs === null
    const input = {
      values: body.values,
      locale: localeOf(type, model, body.locale ?? asked),
      ...(documentId === undefined ? {} : { documentId }),
      ...(typeof publishedAtMs === 'number' ? { publishedAtMs } : {}),
    }
    const status = isDraft && type.draftAndPublish ? 'draft' : 'published'
    return entries.create(writerOf(request), type, input, { tx, status })
  }

  async function change(
    { request, type }: Context,
    { raw }: ParsedOne,
    target: EntryTarget,
    { values, publishedAtMs }: Body,
    tx: Tx | undefined,
  ): Promise<Written> {
    const status = type.draftAndPublish ? statusFor(parseStatus(raw), publishedAtMs) : 'keep'
    const publishes = status === 'publish' && typeof publishedAtMs === 'number'
    const time = publishes ? { publishedAtMs } : {}
    const input = { values, components: 'new', ...time } as const
    return entries.update(writerOf(request), type, target, input, { tx, mode: 'merge', status })
  }

  async function take(
    context: Context,
    parsed: ParsedOne,
    target: EntryTarget,
    allLocales: boolean,
  ): Promise<string> {
    const { request, type, model } = context
    const locale = localeFor(target, parsed.query.locale)
    const query = { ...parsed.query, locale, state: 'working', filter: null } as const
    const before =
      query.include.length > 0 && (await content.findOne(viewerOf(request), query, target))
    const removed = await entries.remove(writerOf(request), type, target, { allLocales })
    const shown =
      before || removed.find((entry) => isMeant(entry, target, model.defaultLocale)) || removed[0]
    if (!shown) throw notFound('entry')
    const isSeen = seenByWriter(viewerOf(request), shown) !== null
    return render(shown, isSeen ? parsed : { ...parsed, selection: NOTHING }, formOf(request))
  }

  async function localize(context: Context, base: Entry | undefined): Promise<string> {
    const { request, type, model } = context
    if (!base) throw notFound('entry')
    const parsed = await parse(context)
    const body = parseFlatBody(request.body, type, model)
    if (!type.localized) throw fault('locale', `${type.displayName} has no languages`)
    if (body.locale === undefined) throw fault('locale', 'locale is required')
    const { entry } = await insert(context, parsed, body, undefined, base.documentId)
    if (!seenByWriter(viewerOf(request), entry)) return renderOne(entry, NOTHING, formOf(request))
    return renderLocalization((await withVariants(context, entry)) ?? entry, formOf(request))
  }

  async function withVariants({ request, type }: Context, { id }: Entry) {
    const query = workingCopies(type, { kind: 'all' }, [plainInclude(LOCALIZATIONS)])
    const isStaff = seenByWriter(viewerOf(request), { type, status: 'draft' }) === 'working'
    const state = isStaff ? 'working' : 'live'
    return content.findOne(viewerOf(request), { ...query, state }, { id })
  }

  async function find({ type }: Context, target: EntryTarget) {
    const query = workingCopies(type, { kind: 'id' in target ? 'all' : 'default' })
    return content.findOne(UNSEEN, query, target)
  }

  async function findSingle({ type }: Context, locale: LocaleChoice) {
    const query = { ...workingCopies(type, locale), sort: [], search: '', page: firstPage(1) }
    const { entries: found } = await content.find(UNSEEN, query)
    return found[0]
  }

  /** Names inside `populate` are checked by asking for an entry that cannot exist. */
  async function parse(context: Context): Promise<ParsedOne> {
    const raw = splitQuery(context.query).nest()
    // What a condition excludes must not be changed because nobody looks at it.
    if (raw['filters'])
      throw badQuery(['filters'], 'filters has no effect on a change: leave it out')
    const parsed = parseOne(raw, rulesOf(context, deps))
    const query = { ...parsed.query, filter: null }
    if (query.include.length > 0) {
      await content.findOne(viewerOf(context.request), query, { id: 0 })
    }
    return { ...parsed, query }
  }

  /** The copy that was written; related entries in the state that was asked for. */
  async function answer(context: Context, parsed: ParsedOne, { entry }: Written): Promise<string> {
    const { request, type } = context
    const form = formOf(request)
    if (!seenByWriter(viewerOf(request), entry)) {
      return render(entry, { ...parsed, selection: NOTHING }, form)
    }
    if (parsed.query.include.length === 0) return render(entry, parsed, form)
    const isLive = !type.draftAndPublish || entry.status === 'published'
    const state = isLive ? parsed.query.state : 'working'
    const query = { ...parsed.query, state, locale: { kind: 'all' } } as const
    const found = await content.findOne(viewerOf(request), query, { id: entry.id })
    return render(found ?? entry, parsed, form)
  }

  async function render(entry: Entry, { selection, hasPeople }: ParsedOne, form: Form) {
    if (!hasPeople) return renderOne(entry, selection, form)
    return renderOne(
      entry,
      selection,
      form,
      await findPeople([entry], selection, deps.people.byIds),
    )
  }
}

/** Who may not read what it has written is told its id. */
const NOTHING: Selection = { fields: new Set(), parts: new Map() }

/** `?status=draft` touches only the working copy, whatever the record says about its publication. */
function statusFor(
  asked: ReturnType<typeof parseStatus>,
  publishedAtMs: Body['publishedAtMs'],
): 'keep' | 'draft' | 'publish' | 'unpublish' {
  if (asked === 'working') return 'draft'
  if (publishedAtMs === null) return 'unpublish'
  return publishedAtMs !== undefined || asked === 'live' ? 'publish' : 'keep'
}

function isMeant({ id, locale }: Entry, target: EntryTarget, defaultLocale: string): boolean {
  return 'id' in target ? target.id === id : (target.locale ?? defaultLocale) === locale
}
