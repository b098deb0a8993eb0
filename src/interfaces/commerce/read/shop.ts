import { localeOf, refused, wrongType } from '#commerce'
import type { Entry } from '#content'
import { firstPage } from '#content-query'
import { queryTextOf } from '#http-text'
import { notFound } from '#kernel'
import type { CommerceDialectDeps } from '../deps.ts'
import { noSuchRoute } from '../errors.ts'
import { parseCriteria, renderCriteria } from '../query/criteria.ts'
import { cutText, fieldsOf } from '../query/fields.ts'
import { listIn, oneIn } from '../query/parameters.ts'
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
    storeConfigs: answering(storeConfigs),
    attributeSets: listing(renderAttributeSets),
    attributes: listing(({ model }) => renderAttributes(model)),
    categories: answering(tree),
    categoryList: listing(async (context) => renderCategories(await all(context))),
  }

  function listing(items: (context: Context) => MaybePromise<readonly object[]>) {
    return async (context: Context): Promise<string> => {
      const criteria = parseCriteria(queryTextOf(context.request), settings.maxPageSize)
      const found = pick((await items(context)).map(toItem), criteria)
      const body = {
        items: found.items,
        search_criteria: renderCriteria(criteria),
        total_count: found.total,
      }
      return cutText(JSON.stringify(body), fieldsOf(context.request))
    }
  }

  function storeConfigs({ model, request }: Context) {
    const wanted = listIn(request, 'store_codes')
    const all = renderStoreConfigs(model, origin(request))
    return wanted.length === 0 ? all : all.filter(({ code }) => wanted.includes(code))
  }

  async function tree(context: Context) {
    const from = wholeOf(context, 'root_category_id', 15)
    const depth = wholeOf(context, 'depth', 2) ?? DEEPEST
    const found = renderTree(await all(context), from, depth)
    if (!found) throw notFound('category')
    return found
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
  return async (context: Context): Promise<string> =>
    cutText(JSON.stringify(await render(context)), fieldsOf(context.request))
}

function toItem(item: object): Readonly<Record<string, unknown>> {
  return { ...item }
}

function wholeOf({ request }: Context, name: string, digits: number): number | undefined {
  const given = oneIn(request, name)
  if (given === '') return undefined
  if (/^\d+$/.test(given) && given.length <= digits) return Number(given)
  throw refused(wrongType(name, given, `a whole number of at most ${digits} digits`))
}
