import { type GivenProduct, missing, refused, wrongType } from '#commerce'
import { isObject } from '#kernel'
import { withSnakeNames } from './names.ts'

/** `{"product":{…}}`; a body whose top level has a SKU is the product itself (contract §4.3). */
export function productIn(body: unknown): GivenProduct {
  const given = memberOf(body, 'product', 'sku')
  if (!isObject(given)) throw refused(wrongType('product', given, 'an object'))
  return given
}

/** `{"stockItem":{…}}`, or its members themselves. */
export function stockItemIn(body: unknown): GivenProduct {
  const given = memberOf(body, 'stock_item', 'qty')
  if (!isObject(given)) throw refused(wrongType('stockItem', given, 'an object'))
  return given
}

/** What the wrapper holds; a body without it that has the `telling` member is the thing itself. */
function memberOf(body: unknown, wrapper: string, telling: string): unknown {
  const given = withSnakeNames(body)
  if (!isObject(given)) throw refused(missing(wrapper))
  if (Object.hasOwn(given, wrapper)) return given[wrapper]
  if (Object.hasOwn(given, telling)) return given
  throw refused(missing(wrapper))
}
