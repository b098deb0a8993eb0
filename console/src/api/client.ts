import createClient from 'openapi-fetch'
import { ApiError, toApiError } from './errors.ts'
import type { paths } from './schema.ts'

type Listener = (status: 401 | 403) => void
const listeners = new Set<Listener>()

/** Called when the server no longer knows who is signed in (401), or lets them do less than this page offers (403). */
export function onSessionRefused(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const ENDED = 'Your session had ended. Sign in, then do it again.'

/** Every call of the console. */
async function fetchOrThrow(request: Request): Promise<Response> {
  return okOrThrow(await fetch(request), request.headers.has('x-api-key'))
}

/** Refusals are thrown, and the end of the session is told. */
export async function okOrThrow(response: Response, isByKey = false): Promise<Response> {
  if (response.ok && !isPage(response)) return response
  const { status, url } = response
  const isSigningIn = url.endsWith('/api/v1/sign-in')
  if ((status === 401 || status === 403) && !isSigningIn)
    for (const listener of listeners) listener(status)
  // The server asks for a key, which nobody uses here.
  if (status === 401 && !isSigningIn && !isByKey) throw new ApiError(401, 'signed_out', ENDED, [])
  throw await toApiError(response)
}

/** The API answers no page: this one comes from a proxy that asks to sign in or says that it is busy. */
function isPage({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('text/html') === true
}

/** The typed client of everything that `/api/v1/openapi.json` describes on an empty server. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: fetchOrThrow })

/** The answer of a call that cannot have failed: refusals were thrown. */
export async function ask<Data>(call: Promise<{ data?: Data }>): Promise<Data> {
  const { data } = await call
  return data as Data
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface SendOptions {
  readonly method?: string
  readonly query?: Query | URLSearchParams
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export interface Answer<Body> {
  readonly body: Body
  readonly headers: Headers
  readonly status: number
}

/** For paths whose names are content types, which no document of an empty server can describe. */
export async function send<Body = unknown>(
  path: string,
  { method = 'GET', query, body, headers = {}, signal }: SendOptions = {},
): Promise<Answer<Body>> {
  const url = new URL(path, location.origin)
  if (query) url.search = (query instanceof URLSearchParams ? query : toSearch(query)).toString()
  const isForm = body instanceof FormData
  const type = body === undefined || isForm ? {} : { 'content-type': 'application/json' }
  const response = await fetchOrThrow(
    new Request(url, {
      method,
      headers: { ...type, ...headers },
      body: body === undefined ? null : isForm ? body : JSON.stringify(body),
      ...(signal ? { signal } : {}),
    }),
  )
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  const parsed = isJson && text !== '' ? JSON.parse(text) : text
  return { body: parsed, headers: response.headers, status: response.status }
}

function toSearch(query: Query): URLSearchParams {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return new URLSearchParams(given)
}
