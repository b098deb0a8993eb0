import { localeOf, refused, wrongType } from '#commerce'
import type { Entry } from '#content'
import { firstPage } from '#content-query'
import { queryTextOf } from '#http-text'
import type { CommerceDialectDeps } from '../deps.ts'
import { noSuchRoute } from '../errors.ts'
import { parseCriteria, renderCriteria } from '../query/criteria.ts'
import { pick } from '../query/pick.ts'
import { renderCategories, renderTree } from '../render/category.ts'
import {
  renderAttributeSets,
  renderAttributes,
  renderModules,
  renderStoreConfigs,
  renderStoreViews,
  renderTypes,
  renderWebsites,
} from '../render/shop.ts'
import { type Context, seesDrafts } from '../request.ts'

const CATEGORY = 'category'
const MOST_CATEGORIES = 1_000
const DEEPEST = 100

/** What clients read before they show a form (contract §8). */
export function createShopReads({ content, settings, origin }: CommerceDialectDeps) {
  return {
    modules: answering(renderModules),
    types: answering(renderTypes),
    websites: answering(renderWebsites),
    storeViews: answering(({ model }) => renderStoreViews(model)),
    storeConfigs: answering(({ model, request }) => renderStoreConfigs(model, origin(request))),
    attributeSets: listing(renderAttributeSets),
    attributes: listing(({ model }) => renderAttributes(model)),
    categories: answering(async (context) => renderTree(await all(context), depthOf(context))),
    categoryList: listing(async (context) => renderCategories(await all(context))),
  }

  function listing(items: (context: Context) => MaybePromise<readonly object[]>) {
    return async (context: Context): Promise<string> => {
      const criteria = parseCriteria(queryTextOf(context.request), settings.maxPageSize)
      const found = pick((await items(context)).map(toItem), criteria)
      return JSON.stringify({
        items: found.items,
        search_criteria: renderCriteria(criteria),
        total_count: found.total,
      })
    }
  }

  async function all({ model, store, viewer, request }: Context): Promise<readonly Entry[]> {
    const type = model.findType(CATEGORY)
    if (!type) throw noSuchRoute()
    const state = seesDrafts({ request }) ? 'working' : 'live'
    const { entries, hasMore } = await content.find(viewer, {
      ...{ type, state, locale: localeOf(model, store), filter: null },
      ...{ search: '', sort: [], include: [] },
      page: firstPage(MOST_CATEGORIES),
    })
    if (!hasMore) return entries
    const message = `There are more than ${MOST_CATEGORIES} categories; read them through /api/v1.`
    throw refused({ message })
  }
}

type MaybePromise<T> = T | Promise<T>

function answering(render: (context: Context) => MaybePromise<unknown>) {
  return async (context: Context): Promise<string> => JSON.stringify(await render(context))
}

function toItem(item: object): Readonly<Record<string, unknown>> {
  return { ...item }
}

function depthOf({ request }: Context): number {
  const given = new URLSearchParams(queryTextOf(request)).get('depth') ?? ''
  if (given === '') return DEEPEST
  if (/^\d{1,2}$/.test(given)) return Number(given)
  throw refused(wrongType('depth', given, 'a whole number up to 99'))
}
