import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ModuleField, StartItem, TreeView } from '#content'
import { decodeText } from '#content-dialect'
import type { ContentModel } from '#content-model'
import type { CopyState, LocaleChoice } from '#content-query'
import type { DeliveryDeps, DeliverySettings } from './deps.ts'
import { notDelivered } from './errors.ts'
import type { Showing } from './query/includes.ts'
import {
  type Culture,
  firstOf,
  type Parameter,
  parseCulture,
  readParameters,
  valuesOf,
} from './query/parameters.ts'
import { parseSelection } from './query/selection.ts'
import type { Caller } from './request/access.ts'
import { type Delivered, deliveredTo, parseUuid } from './target/delivered.ts'

/** One request, as it is before its query is read. */
export interface Request {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: Caller
  /** Taken once, so that it cannot change on the way. */
  readonly model: ContentModel
  readonly settings: DeliverySettings
  readonly moduleFields: readonly ModuleField[]
  /** As sent, without credentials. */
  readonly query: string
}

/** One request, read once. */
export interface Asked extends Request {
  readonly delivered: Delivered
  readonly parameters: readonly Parameter[]
  readonly culture: Culture
  readonly state: CopyState
  readonly locale: LocaleChoice
  readonly tree: TreeView
  readonly showing: Showing
  /** As it was written. */
  readonly expand: string
}

export function readRequest(from: Request): Asked {
  const { request, caller, model, settings, moduleFields, query } = from
  const delivered = deliveredTo(model, settings, moduleFields, caller.viewer)
  const parameters = readParameters(query)
  const culture = parseCulture(model, parameters, request.headers['accept-language'])
  const state = caller.isPreview ? 'working' : 'live'
  const locale = { kind: 'one', code: culture.code ?? '', fallback: [] } as const
  return {
    ...from,
    ...{ delivered, parameters, culture, state, locale },
    tree: { state, locale, exists: (type) => delivered.has(type) },
    showing: {
      expand: parseSelection(valuesOf(parameters, 'expand'), 'Expand not valid'),
      fields: parseSelection(valuesOf(parameters, 'fields'), 'Fields not valid'),
    },
    expand: firstOf(parameters, 'expand')?.value ?? '',
  }
}

/** The start item that the header names (contract §5); undefined when it names none. */
export async function findStartItem(
  { content }: Pick<DeliveryDeps, 'content'>,
  { request, tree }: Asked,
): Promise<StartItem | undefined> {
  const header = request.headers['start-item']
  if (typeof header !== 'string' || header.trim() === '') return undefined
  const items = await content.tree.startItems(tree)
  const found = findNamed(items, header.trim())
  if (!found) throw notDelivered('The Start-Item could not be found')
  return found
}

/** By id, or by path whatever its case and slashes. */
export function findNamed(items: readonly StartItem[], name: string): StartItem | undefined {
  const id = parseUuid(name)
  if (id !== undefined) return items.find((item) => item.id === id)
  const path = bare(decodeText(name) ?? name)
  return items.find((item) => bare(item.path) === path)
}

function bare(path: string): string {
  return path
    .replaceAll(/^\/+|\/+$/g, '')
    .normalize('NFC')
    .toLowerCase()
}
