import { parse } from 'node:querystring'
import type { FastifyRequest } from 'fastify'

/** Credentials that may come by query; no handler and no dialect's parser ever sees them. */
export type QueryCredential = 'api_key' | 'ticket'

const CREDENTIALS: ReadonlySet<string> = new Set<QueryCredential>(['api_key', 'ticket'])
// A percent sign matters only where it hides a letter or an underscore of such a name.
const MAYBE_CREDENTIAL = /api_key|ticket|%(?:[46][1-9a-f]|[57][0-9a]|5f)/i
const MAX_PARAMETERS = 1_000

declare module 'fastify' {
  interface FastifyRequest {
    /** What `queryTextOf` gives, once somebody has asked for it. */
    queryText: string | null
  }
}

export type Query = NodeJS.Dict<string | string[]>

/** The path as sent, without the query. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/** The query as sent, without `?`. It may hold credentials: mask it before it is written anywhere. */
export function rawQueryOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

/** The query of a request for those who parse it themselves; credentials are left out. */
export function queryTextOf(request: FastifyRequest): string {
  request.queryText ??= withoutCredentials(rawQueryOf(request.raw.url ?? ''))
  return request.queryText
}

/** A credential that came by query (access contract §3); an empty one counts as absent. */
export function queryCredential(
  request: FastifyRequest,
  name: QueryCredential,
): string | undefined {
  const text = rawQueryOf(request.raw.url ?? '')
  // Nothing was left out: none is in it, and its text needs not be searched again.
  if (queryTextOf(request).length === text.length) return undefined
  return credentialIn(text, name)
}

/** The same of a query as it was sent. */
export function credentialIn(text: string, name: QueryCredential): string | undefined {
  if (!MAYBE_CREDENTIAL.test(text)) return undefined
  const value = parse(text)[name]
  return (Array.isArray(value) ? value[0] : value) || undefined
}

export function parseQuery(text: string): Query {
  if (text === '') return {}
  return parse(withoutCredentials(text), '&', '=', { maxKeys: MAX_PARAMETERS })
}

export function withoutCredentials(text: string): string {
  if (!MAYBE_CREDENTIAL.test(text)) return text
  return text
    .split('&')
    .filter((pair) => !isCredential(pair))
    .join('&')
}

function isCredential(pair: string): boolean {
  const [encoded = ''] = pair.split('=', 1)
  const [name = ''] = Object.keys(parse(encoded))
  // `api_key[]=…` is no credential, but a bracket parser would make one of it.
  return CREDENTIALS.has(name.split('[', 1)[0] ?? '')
}
