import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpApp, HttpPlugin } from './app.ts'
import { renderError as renderHouseError } from './conventions.ts'
import { ownUnknownPaths, type RenderError, useEnvelope } from './envelope.ts'
import { type IdempotentRequests, useIdempotency } from './idempotency.ts'
import { createOnSend } from './on-send.ts'
import { type ResponseCache, useResponseCache } from './response-cache.ts'

/** One row of the table that says who owns which URLs. */
export interface Mount {
  /** Such as `/api/v1`; `/` owns what no other mount does. */
  readonly prefix: string
  readonly renderError: RenderError
  readonly plugin: HttpPlugin
  /** A guest lives below the prefix of another mount: unknown paths stay with the owner. */
  readonly guest?: boolean
  /** Of a guest: paths that speak its language also where no route can be found for them, as with `%ff`. */
  readonly claims?: RegExp
  /** `strict`: `/a/` is another path than `/a`. */
  readonly trailingSlash?: 'ignore' | 'strict'
  /** Before the guard: what holds for every answer of the mount, refusals and unknown paths too. */
  readonly onRequest?: ((request: FastifyRequest, reply: FastifyReply) => void) | undefined
  /** Asked before the routes' own hooks, also for paths that do not exist. */
  readonly guard?: MountGuard
  /** Answers to GET without an ETag of their own get a weak one over the body; default true. */
  readonly etag?: boolean
  /** Routes with a schema are described in the OpenAPI document; default only `/api/v1`. */
  readonly openapi?: boolean
  /** Where responses of routes with `config.cache` wait to be given again. */
  readonly cache?: ResponseCache
  /** Routes with `config.idempotent` honour `Idempotency-Key`. */
  readonly idempotency?: IdempotentRequests
}

/** What stands before and behind every route of a mount. */
export interface MountGuard {
  /** Calls `done`, or returns a promise: a request that has to wait for nothing makes none. */
  onRequest(
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): Promise<void> | void
  /** After everything that changes the answer: what it passes on is what the client gets. */
  onSend(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: Error | null, payload?: unknown) => void,
  ): void
}

export interface MountTable {
  readonly mounts: readonly Mount[]
  /** Whose URL this is; there is always one. */
  ownerOf(url: string): Mount
  /** Whose language its answers have, when no route was found: its owner's, or that of the guest that claims it. */
  speakerOf(path: string): Mount
  isDescribed(url: string): boolean
  /** The URL as the router shall see it. */
  toRoutedUrl(url: string): string
}

const SLASH = 47

export function createMountTable(given: readonly Mount[]): MountTable {
  const mounts = given.some(isRoot) ? [...given] : [...given, nobodysUrls]
  refuseDoubles(mounts)
  const byLength = mounts.toSorted((a, b) => b.prefix.length - a.prefix.length)
  const owners = byLength.filter((mount) => !mount.guest)
  const claiming = mounts.filter((mount) => mount.guest && mount.claims)
  return { mounts, ownerOf, speakerOf, isDescribed, toRoutedUrl }

  function ownerOf(url: string): Mount {
    return owners.find((mount) => isBelow(mount, url)) ?? nobodysUrls
  }

  function speakerOf(path: string): Mount {
    return claiming.find(({ claims }) => claims?.test(path)) ?? ownerOf(path)
  }

  function isDescribed(url: string): boolean {
    const mount = byLength.find((candidate) => isBelow(candidate, url))
    return mount?.openapi ?? mount?.prefix === '/api/v1'
  }

  /** Runs for every request, so the common case is two comparisons. */
  function toRoutedUrl(url: string): string {
    const query = url.indexOf('?')
    const last = (query === -1 ? url.length : query) - 1
    if (last < 1 || url.charCodeAt(last) !== SLASH) return url
    const mount = byLength.find((candidate) => isBelow(candidate, url))
    if (mount?.trailingSlash === 'strict') return url
    return url.slice(0, last) + url.slice(last + 1)
  }
}

/** Everything a mount promises, wired into its scope. */
export async function fillScope(
  scope: HttpApp,
  mount: Mount,
  shapeAt: (url: string) => RenderError,
): Promise<void> {
  const shapeOf = (request: FastifyRequest) =>
    isRoot(mount) ? shapeAt(request.originalUrl) : mount.renderError
  useEnvelope(scope, shapeOf)
  const { onRequest } = mount
  if (onRequest) {
    scope.addHook('onRequest', (request, reply, done) => {
      onRequest(request, reply)
      done()
    })
  }
  if (mount.guard) scope.addHook('onRequest', mount.guard.onRequest)
  if (!mount.guest) ownUnknownPaths(scope, shapeOf)
  await mount.plugin(scope)
  // After the module's own hooks: these see the body as the handler made it, this one sends it.
  if (mount.idempotency) useIdempotency(scope, mount.idempotency)
  scope.addHook('onSend', createOnSend({ etag: mount.etag ?? true }))
  if (mount.cache) useResponseCache(scope, mount.cache, mount.guard)
  if (mount.guard) scope.addHook('onSend', mount.guard.onSend)
}

const nobodysUrls: Mount = { prefix: '/', renderError: renderHouseError, plugin: () => {} }

function isRoot(mount: Mount): boolean {
  return mount.prefix === '/' && !mount.guest
}

function isBelow({ prefix }: Mount, url: string): boolean {
  if (prefix === '/') return true
  if (!url.startsWith(prefix)) return false
  const next = url[prefix.length]
  return next === undefined || next === '/' || next === '?'
}

function refuseDoubles(mounts: readonly Mount[]): void {
  const owned = mounts.filter((mount) => !mount.guest).map((mount) => mount.prefix)
  const double = owned.find((prefix, index) => owned.indexOf(prefix) !== index)
  if (double) throw new Error(`${double} is mounted twice`)
  const crooked = mounts.find(({ prefix }) => prefix !== '/' && !/^(\/[^/]+)+$/.test(prefix))
  if (crooked) throw new Error(`${crooked.prefix} is not a prefix like /a/b`)
}
