import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ModuleField, type StartItem, type TreeView, type Viewer, viewerOf } from '#content'
import { decodeText } from '#content-dialect'
import type { ContentModel } from '#content-model'
import type { CopyState, LocaleChoice } from '#content-query'
import { hasForwardingHeaders, isLoopbackAddress, isLoopbackPeer } from '#http'
import { type AccessLevel, DomainError, hasAccess } from '#kernel'
import type { DeliveryDeps, DeliverySettings } from './deps.ts'
import { notDelivered, unauthorized } from './errors.ts'
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
import { type Delivered, deliveredTo, parseUuid } from './target.ts'

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

/** Who reads, and what of it (contract §2). */
export interface Caller {
  readonly viewer: Viewer
  readonly isPreview: boolean
  /** Nothing but the address decided, so anybody's answer is the same. */
  readonly isAnybody: boolean
}

type MaybePromise<T> = T | Promise<T>

export type Part = 'content' | 'media'

const LEVELS: readonly AccessLevel[] = ['admin', 'write', 'read']

export function createAdmission({
  settings,
  levelOfKey,
}: Pick<DeliveryDeps, 'settings' | 'levelOfKey'>) {
  return { ownKey, admit }

  /**
   * An Entrepot key in `Api-Key` counts as presented when it is good. Where it decides, one that was
   * good once is told so; elsewhere what is wrong with it does not matter.
   */
  function ownKey(request: FastifyRequest, part: Part): MaybePromise<string | undefined> {
    const raw = entrepotKeyOf(request)
    if (raw === undefined) return undefined
    return andThen(findLevel(raw, isDecisive(request, part)), (found) => found && raw)
  }

  function isDecisive(request: FastifyRequest, part: Part): boolean {
    const current = settings()
    return isPreview(request, part) || (!isOpen(current, part) && !isLocal(request))
  }

  /** Throws unless the caller may read at all. */
  function admit(request: FastifyRequest, part: Part): MaybePromise<Caller> {
    const raw = entrepotKeyOf(request)
    const own = raw === undefined ? undefined : findLevel(raw, isPreview(request, part))
    return andThen(own, (level) => toCaller(request, part, level))
  }

  function toCaller(request: FastifyRequest, part: Part, own: AccessLevel | undefined): Caller {
    const current = settings()
    const preview = isPreview(request, part)
    const isShared = isApiKey(current, request)
    if (preview && !isShared && !(own && hasAccess({ access: own }, 'write'))) throw unauthorized()
    const levels = [own, request.actor?.access, isShared ? ('read' as const) : undefined]
    const level = preview ? highest([...levels, 'write']) : highest(levels)
    const open = isOpen(current, part)
    const isLet = open || isLocal(request) || (current.keyAccess && level !== null)
    if (!isLet) throw unauthorized()
    const viewer = { ...viewerOf(request), level, seesUnusedFiles: isOpen(current, 'media') }
    return { viewer, isPreview: preview, isAnybody: open && level === null }
  }

  /** At once for a key that is known. */
  function findLevel(raw: string, isTold: boolean): MaybePromise<AccessLevel | undefined> {
    try {
      const level = levelOfKey(raw)
      return level instanceof Promise ? level.catch(withoutLevel) : level
    } catch (error) {
      return withoutLevel(error)
    }

    function withoutLevel(error: unknown): undefined {
      if (!(error instanceof DomainError) || (isTold && error.kind === 'forbidden')) throw error
    }
  }
}

/** At once where nothing has to be waited for. */
function andThen<T, U>(value: MaybePromise<T>, use: (value: T) => U): MaybePromise<U> {
  return value instanceof Promise ? value.then(use) : use(value)
}

/** `Media.PublicAccess` only narrows. */
function isOpen({ publicAccess, mediaPublicAccess }: DeliverySettings, part: Part): boolean {
  return publicAccess && (part === 'content' || mediaPublicAccess)
}

function isPreview({ headers }: FastifyRequest, part: Part): boolean {
  const { preview } = headers
  return part === 'content' && String(preview ?? '').toLowerCase() === 'true'
}

function apiKeyOf({ headers }: FastifyRequest): string {
  const given = headers['api-key']
  return typeof given === 'string' ? given : ''
}

function entrepotKeyOf(request: FastifyRequest): string | undefined {
  const given = apiKeyOf(request)
  return given.startsWith('sk_') ? given : undefined
}

/** Compared in constant time; without one in the settings nothing is equal to it. */
function isApiKey({ apiKey = '' }: DeliverySettings, request: FastifyRequest): boolean {
  const given = apiKeyOf(request)
  if (apiKey.trim() === '' || given === '') return false
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', apiKey, 'buffer'))
}

/**
 * Who forwards for somebody else is a proxy, never local by itself: only of a trusted one the address
 * it speaks for counts.
 */
function isLocal(request: FastifyRequest): boolean {
  if (!hasForwardingHeaders(request.headers)) return isLoopbackPeer(request)
  return !isLoopbackPeer(request) && isLoopbackAddress(request.ip)
}

function highest(levels: readonly (AccessLevel | undefined)[]): AccessLevel | null {
  return LEVELS.find((level) => levels.includes(level)) ?? null
}
