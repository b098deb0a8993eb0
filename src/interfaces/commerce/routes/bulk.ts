import { actorOf } from '#access'
import { type BulkMethod, isOperationStatus, type Operation, refused, wrongType } from '#commerce'
import { once } from '#http'
import { queryTextOf } from '#http-text'
import { DomainError, isUuid, notFound } from '#kernel'
import { withSnakeNames } from '../body/names.ts'
import type { CommerceDialectDeps } from '../deps.ts'
import { parseCriteria, renderCriteria } from '../query/criteria.ts'
import {
  renderAccepted,
  renderBulk,
  renderDetailed,
  renderListed,
  renderOperation,
} from '../render/bulk.ts'
import { type Context, parameterOf } from '../request.ts'
import type { AddRoute } from '../routes.ts'

const MOST_OPERATIONS = 1_000
const ASYNC = '/async/V1/products'
const BULK = '/async/bulk/V1/products'
const ONE = '/V1/bulk/:uuid'

/** Asynchronous changes of products and what came of them (contract §5). */
export function bulkRoutes(
  { commerce: { bulks }, settings }: CommerceDialectDeps,
  showAll: (context: Context, skus: readonly string[]) => Promise<ReadonlyMap<number, string>>,
) {
  return (add: AddRoute) => {
    const keyed = { config: { idempotent: true } } as const
    for (const url of [ASYNC, BULK]) add('POST', url, 'write', accepting('POST'), keyed)
    for (const url of [`${ASYNC}/:sku`, BULK, `${BULK}/bySku`]) {
      add('PUT', url, 'write', accepting('PUT'), keyed)
    }
    for (const url of [`${ASYNC}/:sku`, BULK])
      add('DELETE', url, 'write', accepting('DELETE'), keyed)
    add('GET', '/async/*', 'none', refuseReads)
    add('GET', '/V1/bulk', 'read', list)
    add('GET', `${ONE}/status`, 'read', status)
    add('GET', `${ONE}/detailed-status`, 'read', detailed)
    add('GET', `${ONE}/operation-status/:status`, 'read', count)
    add('POST', `${ONE}/retry`, 'write', retry)
  }

  function accepting(method: BulkMethod) {
    return async ({ request, reply, store }: Context): Promise<string> => {
      const sku = parameterOf(request, 'sku') || undefined
      const isBodiless = method === 'DELETE' && sku !== undefined
      const accepted = await bulks.accept(
        actorOf(request),
        {
          ...{
            method,
            sku,
            store: store.code,
            userType: userTypeOf(request),
            rename: withSnakeNames,
          },
          body: isBodiless ? { sku } : request.body,
        },
        (work) => once(request, work),
      )
      reply.code(202)
      return JSON.stringify(renderAccepted(accepted))
    }
  }

  async function list({ request }: Context): Promise<string> {
    const criteria = parseCriteria(queryTextOf(request), settings.maxPageSize)
    const { operations, total } = await bulks.list(actorOf(request), criteria)
    return JSON.stringify({
      items: operations.map(renderListed),
      search_criteria: renderCriteria(criteria),
      total_count: total,
    })
  }

  async function status(context: Context): Promise<string> {
    const bulk = await find(context)
    return JSON.stringify(renderBulk(bulk, bulk.operations.map(renderOperation)))
  }

  async function detailed(context: Context): Promise<string> {
    const bulk = await find(context, true)
    const products = await showAll(context, skusOf(bulk.operations))
    const shown = bulk.operations.map((operation) =>
      renderDetailed(operation, products.get(operation.productId ?? 0) ?? null),
    )
    return JSON.stringify(renderBulk(bulk, shown))
  }

  async function count({ request }: Context): Promise<string> {
    const wanted = Number(parameterOf(request, 'status'))
    if (!isOperationStatus(wanted)) {
      throw refused(wrongType('status', parameterOf(request, 'status'), 'a number from 1 to 5'))
    }
    return String(await bulks.countOf(actorOf(request), uuidIn(request), wanted))
  }

  async function retry({ request, reply }: Context): Promise<string> {
    await bulks.retry(actorOf(request), uuidIn(request))
    reply.code(202)
    return 'true'
  }

  function find({ request }: Context, withData = false) {
    return bulks.status(actorOf(request), uuidIn(request), { ...pageOf(request), withData })
  }
}

type Request = Context['request']

/** Of the dialect: 1 is an integration, which has a key, 2 somebody who signed in. */
function userTypeOf(request: Request): 1 | 2 {
  const { kind } = actorOf(request)
  return kind === 'basic' || kind === 'cookie' ? 2 : 1
}

/** An id that cannot be one is of no bulk. */
function uuidIn(request: Request): string {
  const uuid = parameterOf(request, 'uuid').toLowerCase()
  if (!isUuid(uuid)) throw notFound('bulk')
  return uuid
}

function pageOf({ query }: Request) {
  const given = new Map<string, unknown>(Object.entries(Object(query)))
  const pageSize = wholeOf(
    'page_size',
    given.get('page_size') ?? given.get('pageSize'),
    MOST_OPERATIONS,
  )
  const currentPage = wholeOf(
    'current_page',
    given.get('current_page') ?? given.get('currentPage'),
    1,
  )
  if (pageSize > MOST_OPERATIONS) {
    throw refused(wrongType('page_size', pageSize, `a number from 1 to ${MOST_OPERATIONS}`))
  }
  return { pageSize, currentPage }
}

/** Absent or 0: what holds otherwise. */
function wholeOf(name: string, given: unknown, fallback: number): number {
  if (given === undefined || given === '' || given === '0') return fallback
  if (typeof given === 'string' && /^\d{1,6}$/.test(given)) return Number(given)
  throw refused(wrongType(name, given, 'a whole number'))
}

function skusOf(operations: readonly Operation[]): string[] {
  return [...new Set(operations.flatMap(({ sku, productId }) => (productId && sku ? [sku] : [])))]
}

async function refuseReads(): Promise<string> {
  const message = 'Only changes are asynchronous; read below /rest/V1.'
  throw new DomainError('invalid', 'not_asynchronous', message)
}
