import { type ContentModel, type Entry, type Read, typesOf } from '#content'
import { createParsed, notFound } from '#kernel'
import { type CmsDeps, type Context, formOf, rulesOf, viewerOf } from './context.ts'
import { createKept } from './kept.ts'
import { parseList, parseOne, type QueryRules } from './query.ts'
import { renderAll, renderList, renderOne } from './render.ts'
import { localeFor, parseTarget } from './target.ts'

const MAX_VARIANTS = 100

export function createReads(deps: CmsDeps) {
  const { content } = deps
  const kept = createKept(deps)
  const listOf = parsedOnce(parseBriefList)
  const oneOf = parsedOnce(parseBriefOne)
  return {
    list: (context: Context) => kept(context, list),
    one: (context: Context) => kept(context, one),
    single: (context: Context) => kept(context, single),
  }

  async function list(context: Context): Promise<Read> {
    const { query, shape, paging, typeNos } = listOf(context.query, rulesOf(context, deps))
    const page = await content.find(viewerOf(context.request), query)
    const text = renderList(page, shape, paging, formOf(context.request))
    return { text, typeNos }
  }

  async function one(context: Context): Promise<Read> {
    const { query, shape, typeNos } = oneOf(context.query, rulesOf(context, deps))
    const target = parseTarget(context.id, query.locale)
    const asked = { ...query, locale: localeFor(target, query.locale) }
    const entry = await content.findOne(viewerOf(context.request), asked, target)
    if (!entry) throw notFound('entry')
    const text = renderOne(entry, shape, formOf(context.request))
    return { text, typeNos }
  }

  /** A single is the first and only document of its type; with `locale=all` a list of variants. */
  async function single(context: Context): Promise<Read> {
    const { query, shape, typeNos } = oneOf(context.query, rulesOf(context, deps))
    const isList = query.locale.kind === 'all'
    const page = { kind: 'offset', start: 0, limit: MAX_VARIANTS, count: false } as const
    const found = await content.find(viewerOf(context.request), {
      ...query,
      page: isList ? page : { ...page, limit: 1 },
      sort: [],
      search: '',
    })
    const first: Entry | undefined = found.entries[0]
    if (!first) throw notFound('entry')
    const form = formOf(context.request)
    const text = isList ? renderAll(found.entries, shape, form) : renderOne(first, shape, form)
    return { text, typeNos }
  }
}

/** Queries asked again are parsed once, so that the store knows them again too. */
function parsedOnce<Query extends object>(parse: (text: string, rules: QueryRules) => Query) {
  const known = createParsed<ContentModel, Query>()
  return (text: string, rules: QueryRules): Query => {
    const { model, type, maxDepth } = rules
    const key = `${type.no} ${maxDepth} ${text}`
    return known.find(model, key) ?? known.keep(model, key, parse(text, rules))
  }
}

/** With the types its answer is made from. An answer shows nothing that a brief entry does not have. */
function parseBriefList(text: string, rules: QueryRules) {
  const { query, ...rest } = parseList(text, rules)
  return { ...rest, query: { ...query, brief: true }, typeNos: typesOf(rules.model, query) }
}

function parseBriefOne(text: string, rules: QueryRules) {
  const { query, ...rest } = parseOne(text, rules)
  return { ...rest, query: { ...query, brief: true }, typeNos: typesOf(rules.model, query) }
}
