import { localeOf, productType, unknownProduct } from '#commerce'
import { type Entry, type Read, sendRead } from '#content'
import { compare } from '#content-dialect'
import { type ContentQuery, firstPage, typesOf } from '#content-query'
import type { CommerceDialectDeps } from './deps.ts'
import { productIncludes } from './query/includes.ts'
import {
  renderGallery,
  renderProduct,
  renderStockItem,
  renderStockStatus,
} from './render/product.ts'
import { type Context, parameterOf, seesDrafts } from './request.ts'

interface ReadOne {
  readonly query: ContentQuery
  /** The types its answer is made from. */
  readonly typeNos: readonly number[]
}

/** Reads of products (contract §4). */
export function createReads({ content }: CommerceDialectDeps) {
  const prepareOne = content.entryTemplates<ReadOne>()
  return {
    one: reading(renderProduct),
    gallery: reading(renderGallery),
    stockItem: reading(renderStockItem),
    stockStatus: reading(renderStockStatus),
    show,
  }

  /** The product after a change of it. */
  async function show(context: Context, sku: string): Promise<string> {
    const { entry } = await find(context, sku)
    return JSON.stringify(renderProduct(entry))
  }

  function reading(render: (entry: Entry) => unknown) {
    return async (context: Context): Promise<string | Buffer> => {
      const { request, reply } = context
      const { entry, typeNos } = await find(context, parameterOf(request, 'sku').trim())
      const read: Read = { text: JSON.stringify(render(entry)), typeNos }
      return sendRead(request, reply, read)
    }
  }

  async function find(context: Context, sku: string) {
    const { model, store, viewer } = context
    const type = productType(model)
    const state = seesDrafts(context) ? 'working' : 'live'
    const prepared = prepareOne(viewer, {
      ...{ model, template: `${type.no} ${state} ${store.locale ?? ''}`, values: [sku] },
      read: ({ text }) => {
        const query = {
          ...({ type, state, locale: localeOf(model, store), search: '', sort: [] } as const),
          filter: compare('sku', 'eq', text(0)),
          page: firstPage(1),
          include: productIncludes(type),
        }
        return { query, typeNos: typesOf(model, query) }
      },
    })
    const [entry] = (await content.readEntries(prepared)).entries
    if (!entry) throw unknownProduct(sku)
    return { entry, typeNos: prepared.read.typeNos }
  }
}
