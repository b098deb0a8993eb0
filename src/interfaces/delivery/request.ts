import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ContentModel, TreeView } from '#content'
import type { CopyState, LocaleChoice } from '#content-query'
import type { DeliverySettings } from './deps.ts'
import { type Culture, parseCulture } from './query/culture.ts'
import type { Showing } from './query/includes.ts'
import { firstOf, type Parameter, readParameters, valuesOf } from './query/parameters.ts'
import { parseSelection } from './query/selection.ts'
import type { Caller } from './request/access.ts'
import { type Delivered, deliveredTo } from './target/delivered.ts'

/** One request, as it is before its query is read. */
export interface Request {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: Caller
  /** Taken once, so that it cannot change on the way. */
  readonly model: ContentModel
  readonly settings: DeliverySettings
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
  const { request, caller, model, settings, query } = from
  const delivered = deliveredTo(model, settings, caller.viewer.level !== null)
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
