import type { Content, Entry, Viewer } from '#content'
import { isOneOf } from '#content-dialect'
import type { ContentType } from '#content-model'
import { type CopyState, firstPage } from '#content-query'
import { productType } from './product-type.ts'
import { localeOf, type Store } from './stores.ts'

/** The content store as products use it, in whatever thread. */
export type ProductContent = Pick<Content, 'model' | 'entryTemplates' | 'readEntries' | 'entries'>

export interface FoundProducts {
  readonly type: ContentType
  /** By SKU, compared exactly. */
  readonly bySku: ReadonlyMap<string, Entry>
}

const EVERYBODY: Viewer = { level: 'admin' }
/** The most that one question shows. */
export const MOST_FOUND = 1_000

/** Products by their SKUs, as the decision about a change needs them: newest values, drafts included. */
export function createFindProducts(content: ProductContent) {
  const prepare = content.entryTemplates()
  return findProducts

  async function findProducts(
    store: Store,
    skus: readonly string[],
    state: CopyState = 'working',
  ): Promise<FoundProducts> {
    const model = content.model()
    const type = productType(model)
    const prepared = prepare(EVERYBODY, {
      ...{ model, template: `${type.no} ${state} ${store.locale ?? ''}`, values: [skus] },
      read: ({ list }) => ({
        query: {
          ...{ type, state, locale: localeOf(model, store), search: '', sort: [], include: [] },
          filter: isOneOf('sku', list(0)),
          page: firstPage(MOST_FOUND),
        },
      }),
    })
    const { entries } = await content.readEntries(prepared)
    return { type, bySku: new Map(entries.map((entry) => [String(entry.values()['sku']), entry])) }
  }
}
