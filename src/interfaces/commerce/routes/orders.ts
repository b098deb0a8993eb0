import { actorOf } from '#access'
import type { DocumentKind } from '#commerce'
import { once } from '#http'
import { queryTextOf } from '#http-text'
import { notFound } from '#kernel'
import { commentIn, orderIn, piecesIn } from '../body/order.ts'
import type { CommerceDialectDeps } from '../deps.ts'
import { parseCriteria, renderCriteria } from '../query/criteria.ts'
import { cutText, fieldsOf } from '../query/fields.ts'
import { renderOrder } from '../render/order.ts'
import { type Context, parameterOf } from '../request.ts'
import { type AddRoute, words } from '../routes.ts'

const ORDERS = '/V1/orders'
const ONE = `${ORDERS}/:id`
const PLACE = words(
  'Place an order',
  'Stores the order and takes its items from stock in one step. What is not in stock is refused.',
)
const KEYED = { config: { idempotent: true } } as const

/** Orders (contract §7); each route answers the text of its body. */
export function orderRoutes({ commerce: { orders }, settings }: CommerceDialectDeps) {
  return (add: AddRoute) => {
    add('POST', ORDERS, 'write', create, PLACE, KEYED)
    add('PUT', `${ORDERS}/create`, 'write', create, PLACE, KEYED)
    add(
      'GET',
      ORDERS,
      'read',
      list,
      words(
        'Search orders',
        'Orders by `searchCriteria`, filtered, sorted and in pages. `total_count` counts all that were found.',
      ),
    )
    add(
      'GET',
      ONE,
      'read',
      show,
      words(
        'Read an order',
        'One order with its items, addresses and totals. Comments are part of it.',
      ),
    )
    add(
      'PUT',
      ONE,
      'write',
      change,
      words(
        'Change an order',
        'Changes status, state, e-mail address, addresses and members of your own. Items cannot be changed.',
      ),
    )
    add(
      'GET',
      `${ONE}/statuses`,
      'read',
      status,
      words(
        'Read the status of an order',
        'The status as a text. It needs less than the whole order.',
      ),
    )
    add(
      'POST',
      `${ONE}/cancel`,
      'write',
      doing((actor, id) => orders.cancel(actor, id)),
      words(
        'Cancel an order',
        'Cancels the order and gives its items back to the stock. Answers `true`.',
      ),
    )
    add(
      'POST',
      `${ONE}/hold`,
      'write',
      doing((_, id) => orders.hold(id)),
      words('Hold an order', 'Stops the order until it is taken off hold. Answers `true`.'),
    )
    add(
      'POST',
      `${ONE}/unhold`,
      'write',
      doing((_, id) => orders.unhold(id)),
      words(
        'Take an order off hold',
        'The order goes on in the state it had before. Answers `true`.',
      ),
    )
    add(
      'POST',
      `${ONE}/comments`,
      'write',
      comment,
      words(
        'Comment on an order',
        'Adds a comment to the history of the order, and a status when one is given. Answers `true`.',
      ),
      KEYED,
    )
    add(
      'POST',
      '/V1/order/:id/invoice',
      'write',
      making('invoice'),
      words(
        'Invoice an order',
        'Makes an invoice for what is not invoiced yet. Answers with its number.',
      ),
      KEYED,
    )
    add(
      'POST',
      '/V1/order/:id/ship',
      'write',
      making('shipment'),
      words(
        'Ship an order',
        'Makes a shipment for what is not shipped yet. Answers with its number.',
      ),
      KEYED,
    )
  }

  async function create({ request, store }: Context): Promise<string> {
    const order = orderIn(request.body)
    // Before anything is stored: a wrong one is refused.
    const fields = fieldsOf(request)
    const id = await once(request, (keep) => orders.create(actorOf(request), store, order, keep))
    return cutText(JSON.stringify(renderOrder(await orders.get(id))), fields)
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
    const fields = fieldsOf(request)
    await orders.change(actorOf(request), id, orderIn(request.body))
    return cutText(JSON.stringify(renderOrder(await orders.get(id))), fields)
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
    return async ({ request }: Context): Promise<string> => {
      const given = piecesIn(request.body)
      return String(
        await once(request, (keep) => orders.document(idIn(request), kind, given, keep)),
      )
    }
  }
}

/** An id that cannot be one is of no order. */
function idIn(request: Context['request']): number {
  const text = parameterOf(request, 'id')
  if (!/^\d{1,15}$/.test(text)) throw notFound('order')
  return Number(text)
}
