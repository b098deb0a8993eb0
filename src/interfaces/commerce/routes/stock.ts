import type { FastifyReply, FastifyRequest } from 'fastify'
import { actorOf, type RouteAccess } from '#access'
import { PRODUCT, STOCK_MEMBERS } from '#commerce'
import type { Entry, Viewer } from '#content'
import { compare } from '#content-dialect'
import type { ContentType } from '#content-model'
import { firstPage, levelFor, type OneQuery } from '#content-query'
import {
  type HttpApp,
  type HttpPlugin,
  methodNotAllowed,
  type RenderError,
  refuseMethods,
} from '#http'
import { renderError } from '#http-text'
import { DomainError, isObject, notFound } from '#kernel'
import type { StockDeps } from '../deps.ts'

const MAX_QUANTITY = 2 ** 31 - 1
const JSON_TYPE = 'application/json'
const OF_ONE = '/products/:sku/stock'
const UPDATE = '/products/stock/update'
/** What stands for the SKU may be no text at all, such as `%ff`. */
export const STOCK_PATHS = /^\/api\/products\/[^/]+\/stock$/
const EVERYBODY: Viewer = { level: 'admin' }

/** The stock of products by SKU (Doc 3 §2.2 and §4.2, JSON:API contract §11), below `/api`. */
export function stockRoutes({ content, settings }: StockDeps): HttpPlugin {
  const { entries } = content
  const prepare = content.entryTemplates()
  return (app: HttpApp) => {
    const read = { config: { access: readAccess } }
    const write = { config: { access: writeAccess } }
    app.get(OF_ONE, read, show)
    app.patch(OF_ONE, write, (request, reply) => update(request, reply, skuIn(request)))
    app.patch(UPDATE, write, (request, reply) => update(request, reply, undefined))
    app.post(UPDATE, write, (request, reply) => update(request, reply, undefined))
    const config = { access: 'none' } as const
    const ofOne = { url: OF_ONE, method: ['POST', 'PUT', 'DELETE'], config }
    const ofAny = { url: UPDATE, method: ['GET', 'PUT', 'DELETE'], config }
    refuseMethods(app, ofOne, ['GET', 'HEAD', 'PATCH'])
    refuseMethods(app, ofAny, ['PATCH', 'POST'])
  }

  function readAccess(): RouteAccess {
    const type = content.model().findType(PRODUCT)
    const level = type ? levelFor(type, 'read') : 'none'
    return level === 'none' && !settings().publicRead ? 'read' : level
  }

  function writeAccess(): RouteAccess {
    const type = content.model().findType(PRODUCT)
    if (settings().readOnly || !type) return settings().readOnly ? 'none' : 'write'
    // Numbers of a shop are not for the public to change, whatever else it may.
    const level = levelFor(type, 'update')
    return level === 'none' ? 'read' : level
  }

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const type = productType()
    const viewer = { level: request.actor?.access ?? null }
    const entry = await findBySku(viewer, type, skuIn(request), 'live')
    if (!entry) throw unknownProduct()
    const { sku, stock, is_in_stock: isInStock } = entry.values()
    const count = typeof stock === 'number' ? stock : 0
    return send(reply, { sku, stock: count, available: isInStock === true && count > 0 })
  }

  async function update(
    request: FastifyRequest,
    reply: FastifyReply,
    inPath: string | undefined,
  ): Promise<string> {
    if (settings().readOnly) throw methodNotAllowed(reply, ['GET', 'HEAD'])
    const { sku, quantity } = parseBody(request.body)
    if (inPath !== undefined && inPath !== sku) {
      throw fault('invalid', 'sku_mismatch', 'The SKU differs from the one in the path')
    }
    const type = productType()
    const entry = await findBySku(EVERYBODY, type, sku, 'working')
    if (!entry) throw unknownProduct()
    await set(request, type, entry, quantity)
    return send(reply, { updated: true })
  }

  /** Both values at once, of the document as it is then: writers of one product follow each other. */
  async function set(request: FastifyRequest, type: ContentType, entry: Entry, quantity: number) {
    const values = { stock: quantity, is_in_stock: quantity > 0 }
    const target = { id: entry.id }
    await entries.update(actorOf(request), type, target, { values }, { status: 'keep' })
  }

  function productType(): ContentType {
    const type = content.model().findType(PRODUCT)
    const isWhole = ['sku', ...Object.values(STOCK_MEMBERS)].every((name) =>
      type?.attribute.has(name),
    )
    if (!type || !isWhole) throw unknownProduct()
    return type
  }

  /** Exactly this SKU, in whatever language. */
  async function findBySku(
    viewer: Viewer,
    type: ContentType,
    sku: string,
    state: OneQuery['state'],
  ): Promise<Entry | undefined> {
    const prepared = prepare(viewer, {
      ...{ model: content.model(), template: `${type.no} ${state}`, values: [sku] },
      read: ({ text }) => ({
        query: {
          ...{ type, state, locale: { kind: 'all' }, search: '', sort: [], include: [] },
          filter: compare('sku', 'eq', text(0)),
          page: firstPage(1),
        },
      }),
    })
    return (await content.readEntries(prepared)).entries[0]
  }
}

interface StockChange {
  readonly sku: string
  readonly quantity: number
}

/** In this order: the SKU, then that there is a quantity, then what it is (contract §11). */
function parseBody(body: unknown): StockChange {
  if (!isObject(body)) throw fault('invalid', 'invalid_body', 'The body must be a JSON object')
  const { sku, quantity } = body
  if (typeof sku !== 'string' || sku === '') throw fault('invalid', 'sku_required', 'SKU required')
  if (quantity === undefined || quantity === null) {
    throw fault('invalid', 'quantity_required', 'Quantity required')
  }
  const isWhole = typeof quantity === 'number' && Number.isInteger(quantity)
  if (!isWhole || quantity < 0 || quantity > MAX_QUANTITY) {
    const message = `Quantity must be a whole number from 0 to ${MAX_QUANTITY}`
    throw fault('unprocessable', 'invalid_quantity', message)
  }
  return { sku, quantity }
}

/** The router decodes it once; a SKU may itself be called `stock`. */
function skuIn({ params }: FastifyRequest): string {
  const given = new Map<string, unknown>(Object.entries(params ?? {})).get('sku')
  return typeof given === 'string' ? given : ''
}

function send(reply: FastifyReply, body: object): string {
  reply.type(`${JSON_TYPE}; charset=utf-8`)
  return JSON.stringify(body)
}

function unknownProduct(): DomainError {
  return notFound('product')
}

function fault(kind: 'invalid' | 'unprocessable', code: string, message: string): DomainError {
  return new DomainError(kind, code, message)
}

/**
 * Contract §11: `message` as clients of this resource read it, `error` as Doc 2 has it; where the key
 * itself is refused that is a text.
 */
export const renderStockError: RenderError = (error, context) => {
  const rendered = renderError(error, context)
  const body = typeof rendered.body === 'object' ? rendered.body : {}
  return { ...rendered, body: { message: messageOf(error), ...body } }
}

function messageOf({ kind, message }: DomainError): string {
  return kind === 'internal' ? 'An unexpected error occurred' : message
}
