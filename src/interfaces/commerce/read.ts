import { localeOf, productType, type Store, unknownProduct } from '#commerce'
import { type Content, type Entry, type Read, sendRead } from '#content'
import { allOf, compare, isOneOf, jsonList } from '#content-dialect'
import type { ContentModel, ContentType } from '#content-model'
import {
  type ContentQuery,
  type CopyState,
  type Filter,
  firstPage,
  mayRead,
  type Question,
  requireMay,
  type Slots,
  type SortKey,
  typesOf,
} from '#content-query'
import { queryTextOf } from '#http-text'
import type { CommerceDialectDeps } from './deps.ts'
import { type Criteria, parseCriteria, renderCriteria } from './query/criteria.ts'
import { cutText, type Fields, fieldsOf } from './query/fields.ts'
import { toFilter } from './query/filter.ts'
import { productIncludes } from './query/includes.ts'
import { fieldOf, unknownField } from './query/product-fields.ts'
import {
  renderGallery,
  renderProductText,
  renderStockItem,
  renderStockStatus,
} from './render/product.ts'
import { type Context, parameterOf, seesDrafts } from './request.ts'

/** Reads of products (contract §4). */
export function createReads({ content, settings }: CommerceDialectDeps) {
  const prepareList = content.entryTemplates<ReadProducts>()
  const prepareOne = content.entryTemplates<ReadProducts>()
  return {
    list,
    one: reading(renderProductText),
    gallery: reading(renderGallery),
    stockItem: reading(renderStockItem),
    stockStatus: reading(renderStockStatus),
    prepareShow,
  }

  async function list(context: Context): Promise<string | Buffer> {
    const { request, reply, viewer } = context
    const criteria = parseCriteria(queryTextOf(request), settings.maxPageSize)
    const fields = fieldsOf(context.request)
    const prepared = prepareList(viewer, {
      ...productsQuestion({
        ...{ ...context, type: productType(context.model), state: stateOf(context), criteria },
        fields: fields && (fields.get('items') ?? null),
      }),
    })
    const { entries, total } = await content.readEntries(prepared)
    const items = jsonList(entries, renderProductText)
    const echo = JSON.stringify(renderCriteria(criteria))
    const text = `{"items":${items},"search_criteria":${echo},"total_count":${total ?? 0}}`
    const { typeNos } = prepared.read
    return sendRead(request, reply, { text: cutText(text, fields), typeNos })
  }

  /**
   * What shows the product after a change of it. A wrong question is refused before the change, and so is who could not
   * read the product: the dialect promises it as the answer.
   */
  function prepareShow(context: Context) {
    requireMay(context.viewer.level, productType(context.model), 'read')
    const fields = fieldsOf(context.request)
    return async (sku: string): Promise<string> => {
      const { entry } = await find(context, sku, fields)
      return cutText(renderProductText(entry), fields)
    }
  }

  function reading(render: (entry: Entry) => string) {
    return async (context: Context): Promise<string | Buffer> => {
      const { request, reply } = context
      const fields = fieldsOf(context.request)
      // Only a product has members that decide what is loaded.
      const loaded = render === renderProductText ? fields : null
      const { entry, typeNos } = await find(context, parameterOf(request, 'sku').trim(), loaded)
      const read: Read = { text: cutText(render(entry), fields), typeNos }
      return sendRead(request, reply, read)
    }
  }

  async function find(context: Context, sku: string, fields: Fields | null) {
    const { model, store, viewer } = context
    const type = productType(model)
    const state = stateOf(context)
    const include = productIncludes(model, type, fields)
    const shown = include.map(({ field }) => field).join()
    const prepared = prepareOne(viewer, {
      ...{ model, template: `${type.no} ${state} ${store.locale ?? ''} ${shown}`, values: [sku] },
      read: ({ text }) => {
        const query: ContentQuery = {
          ...{ type, state, locale: localeOf(model, store), search: '', sort: [], include },
          filter: compare('sku', 'eq', text(0)),
          page: firstPage(1),
        }
        return { query, typeNos: typesOf(model, query) }
      },
    })
    const [entry] = (await content.readEntries(prepared)).entries
    if (!entry) throw unknownProduct(sku)
    return { entry, typeNos: prepared.read.typeNos }
  }
}

function stateOf(context: Context): ContentQuery['state'] {
  return seesDrafts(context) ? 'working' : 'live'
}

/** A constant: the template is kept for calls with other numbers of SKUs. */
const MOST_FOUND = 1_000

/** The texts of products by their ids; what is gone or not for the caller is left out. At most 1,000 SKUs. */
export function createShowAll(content: Pick<Content, 'entryTemplates' | 'readEntries'>) {
  const prepare = content.entryTemplates()
  return async (context: Context, skus: readonly string[]) => {
    const { model, store, viewer } = context
    const texts = new Map<number, string>()
    if (skus.length === 0) return texts
    const type = productType(model)
    if (!mayRead(viewer, type)) return texts
    const state = stateOf(context)
    const prepared = prepare(viewer, {
      ...{ model, template: `${type.no} ${state} ${store.locale ?? ''}`, values: [skus] },
      read: ({ list }) => ({
        query: {
          ...{ type, state, locale: localeOf(model, store), search: '', sort: [] },
          filter: isOneOf('sku', list(0)),
          page: firstPage(MOST_FOUND),
          include: productIncludes(model, type, null),
        },
      }),
    })
    const { entries } = await content.readEntries(prepared)
    for (const entry of entries) texts.set(entry.id, renderProductText(entry))
    return texts
  }
}

interface ReadProducts {
  readonly query: ContentQuery
  /** The types its answer is made from. */
  readonly typeNos: readonly number[]
}

interface Asked {
  readonly model: ContentModel
  readonly type: ContentType
  readonly store: Store
  readonly state: CopyState
  readonly criteria: Criteria
  /** Of one product, null: all. */
  readonly fields: Fields | null
}

/** Criteria taken apart: values of filters and the page are values, everything else is the template. */
function productsQuestion(asked: Asked): Question<ReadProducts> {
  const { model, type, store, state, criteria } = asked
  const { groups, sorts, pageSize, currentPage } = criteria
  const shape = groups.map((filters) =>
    filters.map(({ field, condition, values }) => [field, condition, values.length]),
  )
  const include = productIncludes(model, type, asked.fields)
  const shown = include.map(({ field }) => field)
  const texts = groups.flat().flatMap(({ values }) => values)
  return {
    model,
    template: JSON.stringify([type.no, store, state, shape, sorts, shown]),
    values: [(currentPage - 1) * pageSize, pageSize, ...texts],
    read(slots: Slots): ReadProducts {
      const query: ContentQuery = {
        ...{ type, state, locale: localeOf(model, store), search: '', include },
        filter: filterOf(asked, slots),
        sort: sorts.map((sort) => sortOf(asked, sort)),
        page: { kind: 'offset', start: slots.whole(0), limit: slots.whole(1), count: true },
      }
      return { query, typeNos: typesOf(model, query) }
    },
  }
}

function filterOf(asked: Asked, slots: Slots): Filter | null {
  let next = 2
  const groups = asked.criteria.groups.map((filters): Filter => {
    const of = filters.map((filter) => {
      const values = filter.values.map(() => slots.text(next++))
      return toFilter(fieldOf(asked, filter.field), filter, values)
    })
    return { kind: 'or', of }
  })
  return allOf(groups)
}

function sortOf(asked: Asked, { field, direction }: Criteria['sorts'][number]): SortKey {
  const order = direction === 'ASC' ? 'asc' : 'desc'
  const found = fieldOf(asked, field)
  switch (found.kind) {
    case 'column':
    case 'time':
    case 'day':
      return { path: [found.name], order, at: [field] }
    case 'status':
      // `draft` comes first of the three; to this order 1 comes before 2.
      return { path: ['@status'], order: order === 'asc' ? 'desc' : 'asc', at: [field] }
    case 'fixed':
      return { path: ['id'], order: 'asc' }
    default:
      throw unknownField(field)
  }
}
