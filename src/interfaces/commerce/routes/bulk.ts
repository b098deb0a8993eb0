import { actorOf } from '#access'
import { type BulkMethod, isOperationStatus, type Operation, refused, wrongType } from '#commerce'
import { once } from '#http'
import { queryTextOf } from '#http-text'
import { DomainError, isUuid, notFound } from '#kernel'
import { withSnakeNames } from '../body/names.ts'
import type { CommerceDialectDeps } from '../deps.ts'
import { parseCriteria, renderCriteria } from '../query/criteria.ts'
import { cutText, fieldsOf } from '../query/fields.ts'
import { oneIn } from '../query/parameters.ts'
import {
  renderAccepted,
  renderBulk,
  renderDetailed,
  renderListed,
  renderOperation,
} from '../render/bulk.ts'
import { type Context, parameterOf } from '../request.ts'
import { type AddRoute, words } from '../routes.ts'

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
    for (const url of [ASYNC, BULK])
      add(
        'POST',
        url,
        'write',
        accepting('POST'),
        words(
          'Save products later',
          'Accepts one product or a list of them and answers with the id of the bulk at once. Each is saved in the background by itself.',
        ),
        keyed,
      )
    for (const url of [`${ASYNC}/:sku`, BULK, `${BULK}/bySku`]) {
      add(
        'PUT',
        url,
        'write',
        accepting('PUT'),
        words(
          'Change products later',
          'Accepts changes of one product or of a list by SKU and answers with the id of the bulk at once. Each is carried out in the background by itself.',
        ),
        keyed,
      )
    }
    for (const url of [`${ASYNC}/:sku`, BULK])
      add(
        'DELETE',
        url,
        'write',
        accepting('DELETE'),
        words(
          'Delete products later',
          'Accepts SKUs of products to be removed and answers with the id of the bulk at once. Each is removed in the background by itself.',
        ),
        keyed,
      )
    add('GET', '/async/*', 'none', refuseReads, null)
    add(
      'GET',
      '/V1/bulk',
      'read',
      list,
      words(
        'Search operations of bulks',
        'Operations of all bulks of the caller by `searchCriteria`. They are filtered by bulk, status, time and topic.',
      ),
    )
    add(
      'GET',
      `${ONE}/status`,
      'read',
      status,
      words(
        'Read the status of a bulk',
        'How far each operation of the bulk is, and what was wrong with those that failed. It can be asked at any time.',
      ),
    )
    add(
      'GET',
      `${ONE}/detailed-status`,
      'read',
      detailed,
      words(
        'Read a bulk in detail',
        'The status of the bulk with the input and result of each operation. Long bulks make long answers.',
      ),
    )
    add(
      'GET',
      `${ONE}/operation-status/:status`,
      'read',
      count,
      words(
        'Count operations of a bulk',
        'How many operations of the bulk have a status. 1 means done, 4 open.',
      ),
    )
    add(
      'POST',
      `${ONE}/retry`,
      'write',
      retry,
      words(
        'Try failed operations again',
        'Opens the operations again that failed and can succeed later. The others stay as they are.',
      ),
    )
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
    const body = {
      items: operations.map(renderListed),
      search_criteria: renderCriteria(criteria),
      total_count: total,
    }
    return cutText(JSON.stringify(body), fieldsOf(request))
  }

  async function status(context: Context): Promise<string> {
    const fields = fieldsOf(context.request)
    const bulk = await find(context)
    const text = JSON.stringify(renderBulk(bulk, bulk.operations.map(renderOperation)))
    return cutText(text, fields)
  }

  async function detailed(context: Context): Promise<string> {
    const fields = fieldsOf(context.request)
    const bulk = await find(context, true)
    const products = await showAll(context, skusOf(bulk.operations))
    const shown = bulk.operations.map((operation) =>
      renderDetailed(operation, products.get(operation.productId ?? 0) ?? null),
    )
    return cutText(JSON.stringify(renderBulk(bulk, shown)), fields)
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

function pageOf(request: Request) {
  const pageSize = wholeOf(request, 'page_size', MOST_OPERATIONS)
  const currentPage = wholeOf(request, 'current_page', 1)
  if (pageSize > MOST_OPERATIONS) {
    throw refused(wrongType('page_size', pageSize, `a number from 1 to ${MOST_OPERATIONS}`))
  }
  return { pageSize, currentPage }
}

/** Absent or 0: what holds otherwise. */
function wholeOf(request: Request, name: string, fallback: number): number {
  const given = oneIn(request, name)
  if (given === '' || given === '0') return fallback
  if (/^\d{1,6}$/.test(given)) return Number(given)
  throw refused(wrongType(name, given, 'a whole number'))
}

function skusOf(operations: readonly Operation[]): string[] {
  return [...new Set(operations.flatMap(({ sku, productId }) => (productId && sku ? [sku] : [])))]
}

async function refuseReads(): Promise<string> {
  const message = 'Only changes are asynchronous; read below /rest/V1.'
  throw new DomainError('invalid', 'not_asynchronous', message)
}
