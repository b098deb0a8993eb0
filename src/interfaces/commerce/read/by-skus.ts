import { localeOf, productType } from '#commerce'
import type { Content, Viewer } from '#content'
import { isOneOf } from '#content-dialect'
import { firstPage, mayRead } from '#content-query'
import { productIncludes } from '../query/includes.ts'
import { renderProductText } from '../render/product.ts'
import type { Context } from '../request.ts'

const EVERYBODY: Viewer = { level: 'admin' }
/** A constant: the template is kept for calls with other numbers of SKUs. */
const MOST_FOUND = 1_000

/** The texts of products by their ids; what is gone is left out. At most 1,000 SKUs. */
export function createShowAll(content: Pick<Content, 'entryTemplates' | 'readEntries'>) {
  const prepare = content.entryTemplates()
  return async ({ model, store, viewer }: Context, skus: readonly string[]) => {
    const texts = new Map<number, string>()
    if (skus.length === 0) return texts
    const type = productType(model)
    if (!mayRead(viewer, type)) return texts
    const prepared = prepare(EVERYBODY, {
      ...{ model, template: `${type.no} ${store.locale ?? ''}`, values: [skus] },
      read: ({ list }) => ({
        query: {
          ...({
            type,
            state: 'working',
            locale: localeOf(model, store),
            search: '',
            sort: [],
          } as const),
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
