import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Viewer } from '#content'
import {
  type AccessLevel,
  DomainError,
  hasAccess,
  hasForwardingHeaders,
  isLoopbackAddress,
  isLoopbackPeer,
} from '#kernel'
import type { DeliveryDeps, DeliverySettings } from './deps.ts'
import { unauthorized } from './errors.ts'

/** Who reads, and what of it (contract §2). */
export interface Caller {
  readonly viewer: Viewer
  readonly isPreview: boolean
  /** Nothing but the address decided, so anybody's answer is the same. */
  readonly isAnybody: boolean
}

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
  function ownKey(request: FastifyRequest, part: Part): Promise<string | undefined> | undefined {
    const raw = entrepotKeyOf(request)
    if (raw === undefined) return undefined
    return findLevel(raw, isDecisive(request, part)).then((level) => level && raw)
  }

  function isDecisive(request: FastifyRequest, part: Part): boolean {
    const current = settings()
    return isPreview(request, part) || (!isOpen(current, part) && !isLocal(request))
  }

  /** Throws unless the caller may read at all. */
  async function admit(request: FastifyRequest, part: Part): Promise<Caller> {
    const current = settings()
    const preview = isPreview(request, part)
    const raw = entrepotKeyOf(request)
    const isShared = isApiKey(current, request)
    const own = raw === undefined ? undefined : await findLevel(raw, preview)
    if (preview && !isShared && !(own && hasAccess({ access: own }, 'write'))) throw unauthorized()
    const levels = [own, request.actor?.access, isShared ? ('read' as const) : undefined]
    const level = preview ? highest([...levels, 'write']) : highest(levels)
    const open = isOpen(current, part)
    const isLet = open || isLocal(request) || (current.keyAccess && level !== null)
    if (!isLet) throw unauthorized()
    return { viewer: { level }, isPreview: preview, isAnybody: open && level === null }
  }

  async function findLevel(raw: string, isTold: boolean): Promise<AccessLevel | undefined> {
    try {
      return await levelOfKey(raw)
    } catch (error) {
      if (!(error instanceof DomainError) || (isTold && error.kind === 'forbidden')) throw error
      return undefined
    }
  }
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
