import {
  type ContentModel,
  type Entry,
  type PageText,
  type PreparedQuery,
  type Read,
  typesOf,
} from '#content'
import { createParsed, createRefilled, notFound } from '#kernel'
import { type Asked, type CmsDeps, type Context, rulesOf } from './context.ts'
import { createKept } from './kept.ts'
import { parseList, parseOne, type QueryRules } from './query.ts'
import { type Form, renderAll, renderList, renderOne } from './render.ts'
import { entryText } from './render-text.ts'
import { localeFor, parseTarget } from './target.ts'

const MAX_VARIANTS = 100

export function createReads(deps: CmsDeps) {
  const { content } = deps
  const { kept, keptWithAny } = createKept(deps)
  const listOf = refilled(parsedOnce(parseBriefList))
  const prepared = createRefilled<ContentModel, PreparedQuery, BriefList>(NUMBERS)
  const oneOf = parsedOnce(parseBriefOne)
  return {
    list: (context: Context) => keptWithAny(context, list),
    one: (context: Context) => kept(context, one),
    single: (context: Context) => kept(context, single),
  }

  async function list(asked: Asked): Promise<Read> {
    const { viewer, form } = asked
    const { parsed, as } = prepare(asked)
    const { query, shape, paging, typeNos, texts } = parsed
    const page = await content.find(viewer, query, texts[form], as)
    return { text: renderList(page, shape, paging, form), typeNos }
  }

  /**
   * What differs in numbers alone is not even prepared: they stand among the values that are bound. The
   * filter of `parsed` is then that of another query, which nobody looks at.
   */
  function prepare(asked: Asked): PreparedList {
    const { viewer, query } = asked
    const rules = rulesOf(asked, deps)
    const key = `${viewer.level} ${keyOf(query, rules)}`
    const known = prepared.find(rules.model, key)
    if (known && content.model() === rules.model) return { parsed: known.context, as: known.made }
    const parsed = listOf(query, rules)
    const as = content.prepare(viewer, parsed.query)
    prepared.learn(rules.model, key, as, parsed)
    return { parsed, as }
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

interface PreparedList {
  readonly parsed: BriefList
  readonly as: PreparedQuery
}

type Parse<Query> = (text: string, rules: QueryRules) => Query
type BriefList = ReturnType<typeof parseBriefList>

/** Queries asked again are parsed once, so that the store knows them again too. */
function parsedOnce<Query extends object>(parse: Parse<Query>): Parse<Query> {
  const known = createParsed<ContentModel, Query>()
  return (text, rules) => {
    const { model } = rules
    const key = keyOf(text, rules)
    return known.find(model, key) ?? known.keep(model, key, parse(text, rules))
  }
}

/** `filters[views][$gte]=`, with brackets as they are or encoded. */
const COMPARED = String.raw`&filters(?:(?:\[|%5B)[a-z]\w*(?:\]|%5D))+(?:\[|%5B)(?:\$|%24)(?:(?:eq|ne)i?|[lg]te?)(?:\]|%5D)=`

/** The store folds and converts other values, but no such number. */
const NUMBERS = new RegExp(String.raw`${COMPARED}(0|[1-9]\d{0,8})(?=&|$)`, 'gi')

/** Values that mean what they show: nothing in them is encoded. */
const VALUES = new RegExp(String.raw`${COMPARED}([\w.:~-]+)(?=&|$)`, 'gi')

/** Those that differ from some asked before in values of their filter alone are not parsed at all. */
function refilled(parse: Parse<BriefList>): Parse<BriefList> {
  const known = createRefilled<ContentModel, BriefList>(VALUES)
  return (text, rules) => {
    const key = keyOf(text, rules)
    const found = known.find(rules.model, key)
    if (found) return found.made
    const parsed = parse(text, rules)
    known.learn(rules.model, key, parsed, undefined)
    return parsed
  }
}

function keyOf(text: string, { type, maxDepth }: QueryRules): string {
  return `${type.no} ${maxDepth}&${text}`
}

/** With the types its answer is made from. An answer shows nothing that a brief entry does not have. */
function parseBriefList(text: string, rules: QueryRules) {
  const { query, shape, paging } = parseList(text, rules)
  const typeNos = typesOf(rules.model, query)
  return { query: { ...query, brief: true }, shape, paging, typeNos, texts: textsOf() }

  /** Neighbours of a page by keyset are told by its entries. */
  function textsOf(): Texts {
    if (paging.kind === 'keyset') return {}
    const [nested, flat] = (['nested', 'flat'] as const).map((form) =>
      entryText(rules.model, rules.type, shape, form),
    )
    return { ...(nested && { nested: { entry: nested } }), ...(flat && { flat: { entry: flat } }) }
  }
}

type Texts = { readonly [name in Form]?: PageText }

function parseBriefOne(text: string, rules: QueryRules) {
  const { query, ...rest } = parseOne(text, rules)
  return { ...rest, query: { ...query, brief: true }, typeNos: typesOf(rules.model, query) }
}
