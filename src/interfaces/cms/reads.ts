import {
  type ContentModel,
  createPageText,
  type Entry,
  type PageText,
  type Read,
  typesOf,
} from '#content'
import { createParsed, notFound } from '#kernel'
import { type Asked, type CmsDeps, type Context, rulesOf } from './context.ts'
import { createKept } from './kept.ts'
import { keyOfShape, type Shape } from './query/shape.ts'
import { parseList, parseOne, type QueryRules } from './query.ts'
import { renderAll, renderList, renderOne } from './render.ts'
import { entryText } from './render-text.ts'
import { localeFor, parseTarget } from './target.ts'

const MAX_VARIANTS = 100

export function createReads(deps: CmsDeps) {
  const { content } = deps
  const kept = createKept(deps)
  const listOf = parsedOnce(parseBriefList)
  const oneOf = parsedOnce(parseBriefOne)
  const texts = createParsed<ContentModel, { readonly text: PageText | undefined }>()
  return {
    list: (context: Context) => kept(context, list),
    one: (context: Context) => kept(context, one),
    single: (context: Context) => kept(context, single),
  }

  async function list(asked: Asked): Promise<Read> {
    const { viewer, form } = asked
    const { query, shape, paging, typeNos } = listOf(asked.query, rulesOf(asked, deps))
    // Neighbours of a page by keyset are told by its entries.
    const text = paging.kind === 'keyset' ? undefined : textFor(asked, shape)
    const page = await content.find(viewer, query, text)
    return { text: renderList(page, shape, paging, form), typeNos }
  }

  /** The text of a page is the same for all that differ in their entries alone. */
  function textFor({ model, type, form }: Asked, shape: Shape): PageText | undefined {
    const key = `${type.no} ${form} ${keyOfShape(shape)}`
    const known = texts.find(model, key)
    if (known) return known.text
    const entry = entryText(model, type, shape, form)
    return texts.keep(model, key, { text: entry ? createPageText(entry) : undefined }).text
  }

  async function one(asked: Asked): Promise<Read> {
    const { query, shape, typeNos } = oneOf(asked.query, rulesOf(asked, deps))
    const target = parseTarget(asked.id, query.locale)
    const localized = { ...query, locale: localeFor(target, query.locale) }
    const entry = await content.findOne(asked.viewer, localized, target)
    if (!entry) throw notFound('entry')
    return { text: renderOne(entry, shape, asked.form), typeNos }
  }

  /** A single is the first and only document of its type; with `locale=all` a list of variants. */
  async function single(asked: Asked): Promise<Read> {
    const { viewer, form } = asked
    const { query, shape, typeNos } = oneOf(asked.query, rulesOf(asked, deps))
    const isList = query.locale.kind === 'all'
    const page = { kind: 'offset', start: 0, limit: MAX_VARIANTS, count: false } as const
    const found = await content.find(viewer, {
      ...query,
      page: isList ? page : { ...page, limit: 1 },
      sort: [],
      search: '',
    })
    const first: Entry | undefined = found.entries[0]
    if (!first) throw notFound('entry')
    const text = isList ? renderAll(found.entries, shape, form) : renderOne(first, shape, form)
    return { text, typeNos }
  }
}

type Parse<Query> = (text: string, rules: QueryRules) => Query

/** Queries asked again are parsed once, so that the store knows them again too. */
function parsedOnce<Query extends object>(parse: Parse<Query>): Parse<Query> {
  const known = createParsed<ContentModel, Query>()
  return (text, rules) => {
    const { model } = rules
    const key = keyOf(text, rules)
    return known.find(model, key) ?? known.keep(model, key, parse(text, rules))
  }
}

function keyOf(text: string, { type, maxDepth }: QueryRules): string {
  return `${type.no} ${maxDepth}&${text}`
}

/** With the types its answer is made from. An answer shows nothing that a brief entry does not have. */
function parseBriefList(text: string, rules: QueryRules) {
  const { query, shape, paging } = parseList(text, rules)
  return { query: { ...query, brief: true }, shape, paging, typeNos: typesOf(rules.model, query) }
}

function parseBriefOne(text: string, rules: QueryRules) {
  const { query, ...rest } = parseOne(text, rules)
  return { ...rest, query: { ...query, brief: true }, typeNos: typesOf(rules.model, query) }
}
