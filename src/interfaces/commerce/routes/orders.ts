import { actorOf } from '#access'
import type { DocumentKind } from '#commerce'
import { once } from '#http'
import { queryTextOf } from '#http-text'
import { notFound } from '#kernel'
import { commentIn, orderIn } from '../body/order.ts'
import type { CommerceDialectDeps } from '../deps.ts'
import { parseCriteria, renderCriteria } from '../query/criteria.ts'
import { cutText, parseFields } from '../query/fields.ts'
import { renderOrder } from '../render/order.ts'
import { type Context, parameterOf } from '../request.ts'
import type { AddRoute } from '../routes.ts'

const ORDERS = '/V1/orders'
const ONE = `${ORDERS}/:id`
const KEYED = { config: { idempotent: true } } as const

/** Orders (contract §7); each route answers the text of its body. */
export function orderRoutes({ commerce: { orders }, settings }: CommerceDialectDeps) {
  return (add: AddRoute) => {
    add('POST', ORDERS, 'write', create, KEYED)
    add('PUT', `${ORDERS}/create`, 'write', create, KEYED)
    add('GET', ORDERS, 'read', list)
    add('GET', ONE, 'read', show)
    add('PUT', ONE, 'write', change)
    add('GET', `${ONE}/statuses`, 'read', status)
    add(
      'POST',
      `${ONE}/cancel`,
      'write',
      doing((actor, id) => orders.cancel(actor, id)),
    )
    add(
      'POST',
      `${ONE}/hold`,
      'write',
      doing((_, id) => orders.hold(id)),
    )
    add(
      'POST',
      `${ONE}/unhold`,
      'write',
      doing((_, id) => orders.unhold(id)),
    )
    add('POST', `${ONE}/comments`, 'write', comment, KEYED)
    add('POST', '/V1/order/:id/invoice', 'write', making('invoice'), KEYED)
    add('POST', '/V1/order/:id/ship', 'write', making('shipment'), KEYED)
  }

  async function create({ request, store }: Context): Promise<string> {
    const order = orderIn(request.body)
    const id = await once(request, (keep) => orders.create(actorOf(request), store, order, keep))
    return JSON.stringify(renderOrder(await orders.get(id)))
  }

  async function list({ request }: Context): Promise<string> {
    const criteria = parseCriteria(queryTextOf(request), settings.maxPageSize)
    const found = await orders.list(criteria)
    const body = {
      items: found.orders.map(renderOrder),
      search_criteria: renderCriteria(criteria),
      total_count: found.total,
    }
    return cutText(JSON.stringify(body), fieldsOf(request))
  }

  async function show({ request }: Context): Promise<string> {
    return cutText(JSON.stringify(renderOrder(await orders.get(idIn(request)))), fieldsOf(request))
  }

  async function change({ request }: Context): Promise<string> {
    const id = idIn(request)
    await orders.change(actorOf(request), id, orderIn(request.body))
    return JSON.stringify(renderOrder(await orders.get(id)))
  }

  async function status({ request }: Context): Promise<string> {
    return JSON.stringify((await orders.get(idIn(request))).status)
  }

  function doing(work: (actor: ReturnType<typeof actorOf>, id: number) => Promise<void>) {
    return async ({ request }: Context): Promise<string> => {
      await work(actorOf(request), idIn(request))
      return 'true'
    }
  }

  async function comment({ request }: Context): Promise<string> {
    const said = commentIn(request.body)
    await once(request, (keep) => orders.comment(idIn(request), said, keep))
    return 'true'
  }

  function making(kind: DocumentKind) {
    return async ({ request }: Context): Promise<string> =>
      String(await once(request, (keep) => orders.document(idIn(request), kind, keep)))
  }
}

function fieldsOf(request: Context['request']) {
  return parseFields(new URLSearchParams(queryTextOf(request)).get('fields'))
}

/** An id that cannot be one is of no order. */
function idIn(request: Context['request']): number {
  const text = parameterOf(request, 'id')
  if (!/^\d{1,15}$/.test(text)) throw notFound('order')
  return Number(text)
}
