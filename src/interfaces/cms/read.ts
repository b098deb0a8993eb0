import { type Entry, type Read, sendRead } from '#content'
import { targetIn } from '#content-dialect'
import {
  type ContentQuery,
  firstPage,
  oneOf,
  type Question,
  requireWrite,
  type Slot,
  type Slots,
  typesOf,
} from '#content-query'
import { notFound } from '#kernel'
import type { CmsDeps } from './deps.ts'
import { type Raw, splitQuery } from './query/brackets.ts'
import type { Selection } from './query/level.ts'
import type { Paging } from './query/paging.ts'
import { parseList, parseOne, type QueryRules } from './query/parse.ts'
import { renderAll, renderList, renderOne } from './render/entry.ts'
import { findPeople, NOBODY } from './render/people.ts'
import { type Action, type Asked, askedBy, rulesOf } from './request.ts'
import { localeFor } from './target.ts'

const MAX_VARIANTS = 100

/** What is read of a template; but for who wrote it, an answer shows nothing that a brief entry does not have. */
interface ReadOne {
  readonly query: ContentQuery
  readonly selection: Selection
  readonly hasPeople: boolean
  /** The types its answer is made from. */
  readonly typeNos: readonly number[]
}

interface ReadList extends ReadOne {
  readonly paging: Slot<Paging>
}

export function createReads(deps: CmsDeps) {
  const { content } = deps
  const prepareList = content.entryTemplates<ReadList>()
  const prepareOne = content.entryTemplates<ReadOne>()
  const prepareSingle = content.entryTemplates<ReadOne>()
  return { list: sending(list), one: sending(one), single: sending(single) }

  async function list(asked: Asked): Promise<Read> {
    const { viewer, form } = asked
    const prepared = prepareList(viewer, questionOf(asked, toList))
    const { selection, paging } = prepared.read
    const page = await content.readEntries(prepared)
    const { people, typeNos } = await peopleIn(asked, prepared.read, page.entries)
    const text = renderList(page, selection, paging.of(prepared.values), form, people)
    return { text, typeNos }
  }

  async function one(asked: Asked): Promise<Read> {
    const prepared = prepareOne(asked.viewer, questionOf(asked, toOne))
    const [entry] = (await content.readEntries(prepared)).entries
    if (!entry) throw notFound('entry')
    const { people, typeNos } = await peopleIn(asked, prepared.read, [entry])
    return { text: renderOne(entry, prepared.read.selection, asked.form, people), typeNos }
  }

  /** What shows accounts depends on more than entries, and is made anew each time. */
  async function peopleIn({ viewer }: Asked, read: ReadOne, entries: readonly Entry[]) {
    const { hasPeople, selection, typeNos } = read
    if (!hasPeople) return { people: NOBODY, typeNos }
    requireWrite(viewer, 'Seeing who wrote an entry')
    return { people: await findPeople(entries, selection, deps.people.byIds), typeNos: null }
  }

  /** A single is the first and only document of its type; with `locale=all` a list of variants. */
  async function single(asked: Asked): Promise<Read> {
    const { form } = asked
    const prepared = prepareSingle(asked.viewer, questionOf(asked, toSingle))
    const { query, selection } = prepared.read
    const { entries } = await content.readEntries(prepared)
    const [first] = entries
    if (!first) throw notFound('entry')
    const { people, typeNos } = await peopleIn(asked, prepared.read, entries)
    const isList = query.locale.kind === 'all'
    const text = isList
      ? renderAll(entries, selection, form, people)
      : renderOne(first, selection, form, people)
    return { text, typeNos }
  }

  function questionOf<Made>(
    asked: Asked,
    read: (raw: Raw, rules: QueryRules, id: Slot<string>) => Made,
  ): Question<Made> {
    const { template, values, nest } = splitQuery(asked.query)
    const rules = rulesOf(asked, deps)
    return {
      model: asked.model,
      template: `${rules.type.no} ${rules.maxDepth} ${template}`,
      values: [...values, asked.id],
      read: (slots: Slots) => read(nest(slots), rules, slots.text(values.length)),
    }
  }
}

function sending(read: (asked: Asked) => Promise<Read>): Action {
  return async (context) => {
    const { request, reply } = context
    return sendRead(request, reply, await read(askedBy(context)))
  }
}

function toList(raw: Raw, rules: QueryRules): ReadList {
  const { query, selection, hasPeople, paging } = parseList(raw, rules)
  const typeNos = typesOf(rules.model, query)
  return { query: { ...query, detail: detailOf(hasPeople) }, selection, hasPeople, paging, typeNos }
}

function toOne(raw: Raw, rules: QueryRules, id: Slot<string>): ReadOne {
  const { query, selection, hasPeople } = parseOne(raw, rules)
  const target = targetIn(id, query.locale)
  if (!target) throw notFound('entry')
  const localized = {
    ...query,
    detail: detailOf(hasPeople),
    locale: localeFor(target, query.locale),
  }
  const typeNos = typesOf(rules.model, query)
  return { query: oneOf(localized, target), selection, hasPeople, typeNos }
}

function toSingle(raw: Raw, rules: QueryRules): ReadOne {
  const { query, selection, hasPeople } = parseOne(raw, rules)
  const limit = query.locale.kind === 'all' ? MAX_VARIANTS : 1
  const first = {
    ...query,
    detail: detailOf(hasPeople),
    sort: [],
    search: '',
    page: firstPage(limit),
  }
  return { query: first, selection, hasPeople, typeNos: typesOf(rules.model, query) }
}

function detailOf(hasPeople: boolean): 'brief' | 'whole' {
  return hasPeople ? 'whole' : 'brief'
}
