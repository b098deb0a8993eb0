import { actorOf } from '#access'
import { refused, wrongType } from '#commerce'
import { isObject } from '#kernel'
import { withSnakeNames } from './body/names.ts'
import { productIn, stockItemIn } from './body/product.ts'
import type { CommerceDialectDeps } from './deps.ts'
import { type Context, parameterOf } from './request.ts'

/** Changes of single products (contract §4.3, §4.4); each answers the text of its body. */
export function createWrites(
  { commerce: { products, issueToken: issue } }: CommerceDialectDeps,
  show: (context: Context, sku: string) => Promise<string>,
) {
  return { issueToken, post, put, remove, setStock }

  /** The bare text is the whole answer (contract §3.1). */
  async function issueToken({ request, reply }: Context): Promise<string> {
    const given = withSnakeNames(request.body)
    reply.header('cache-control', 'no-store')
    return JSON.stringify(await issue(isObject(given) ? given : {}, request.ip))
  }

  async function post(context: Context): Promise<string> {
    const { request, store } = context
    const { sku } = await products.save(actorOf(request), store, productIn(request.body))
    return show(context, sku)
  }

  async function put(context: Context): Promise<string> {
    const { request, store } = context
    const given = productIn(request.body)
    const inPath = parameterOf(request, 'sku')
    const { sku } = await products.save(actorOf(request), store, given, inPath)
    return show(context, sku)
  }

  async function remove({ request, store }: Context): Promise<string> {
    await products.remove(actorOf(request), store, parameterOf(request, 'sku').trim())
    return 'true'
  }

  /** The item's id is that of the product, whatever the path says. */
  async function setStock({ request, store }: Context): Promise<string> {
    const itemId = parameterOf(request, 'itemId')
    if (!/^\d+$/.test(itemId)) throw refused(wrongType('itemId', itemId, 'a whole number'))
    const stockItem = stockItemIn(request.body)
    const { id } = await products.setStock(
      actorOf(request),
      store,
      parameterOf(request, 'sku').trim(),
      stockItem,
    )
    return String(id)
  }
}
