import { localeOf, productType, unknownProduct } from '#commerce'
import { type Entry, type Read, sendRead } from '#content'
import { compare, jsonList } from '#content-dialect'
import { type ContentQuery, firstPage, requireMay, typesOf } from '#content-query'
import { queryTextOf } from '#http-text'
import type { CommerceDialectDeps } from './deps.ts'
import { parseCriteria, renderCriteria } from './query/criteria.ts'
import { cutText, type Fields, parseFields } from './query/fields.ts'
import { productIncludes } from './query/includes.ts'
import { productsQuestion, type ReadProducts } from './query/products.ts'
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
    const fields = fieldsOf(context)
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
    const fields = fieldsOf(context)
    return async (sku: string): Promise<string> => {
      const { entry } = await find(context, sku, fields)
      return cutText(renderProductText(entry), fields)
    }
  }

  function reading(render: (entry: Entry) => string) {
    return async (context: Context): Promise<string | Buffer> => {
      const { request, reply } = context
      const fields = fieldsOf(context)
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

/** `fields=…` of the query. */
function fieldsOf({ request }: Context): Fields | null {
  return parseFields(new URLSearchParams(queryTextOf(request)).get('fields'))
}
