import { type EntrepotError, errorOf } from './error.ts'
import { pause } from './pause.ts'

export interface ClientOptions {
  /** Where the server is: `https://api.example.com`. */
  readonly url: string
  /** An API key or access token; a function is asked before each request. */
  readonly key?: string | (() => string | Promise<string>)
  /** How often a request that met 429 or 503 is sent again; 3 when absent. */
  readonly retries?: number
  /** Waits for no later time than this, but fails at once; 60 when absent. */
  readonly maxRetryAfterSeconds?: number
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the `fetch` of the runtime. */
  readonly fetch?: typeof globalThis.fetch
}

export interface RequestOptions {
  readonly query?: URLSearchParams | Readonly<Record<string, string>>
  /** An object is sent as JSON, a form, text or bytes as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Sends a request and resolves with an answer below 400, or throws an `EntrepotError`. */
export type Send = (method: string, path: string, options?: RequestOptions) => Promise<Response>

const RETRIES = 3
const MAX_RETRY_AFTER_SECONDS = 60

/**
 * Too many requests and a server that is busy pass by themselves, and the answer says when. The first
 * requests of many clients that wait for the same second are spread over another one.
 */
export function createSend({
  url,
  key,
  headers: always,
  retries = RETRIES,
  maxRetryAfterSeconds = MAX_RETRY_AFTER_SECONDS,
  fetch = globalThis.fetch,
}: ClientOptions): Send {
  const base = url.replace(/\/+$/, '')
  return async (method, path, { query, body, headers, signal } = {}) => {
    const asked = query === undefined ? '' : String(new URLSearchParams(query))
    const target = `${base}${path}${asked && `?${asked}`}`
    const isJson = isPlain(body)
    for (let attempt = 0; ; attempt++) {
      const credential = typeof key === 'function' ? await key() : key
      const response = await fetch(target, {
        method,
        headers: {
          ...(credential ? { authorization: `Bearer ${credential}` } : {}),
          ...(isJson ? { 'content-type': 'application/json' } : {}),
          ...always,
          ...headers,
        },
        ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : asBody(body) }),
        ...(signal ? { signal } : {}),
      })
      if (response.status < 400) return response
      const error = await errorOf(response)
      const waitSeconds = attempt < retries ? waitOf(error) : undefined
      if (waitSeconds === undefined) throw error
      await pause((waitSeconds + Math.random()) * 1000, signal)
    }
  }

  /** Nothing when another attempt is of no use, or too far away. */
  function waitOf({ status, retryAfterSeconds }: EntrepotError): number | undefined {
    if (status !== 429 && status !== 503) return undefined
    if (retryAfterSeconds === undefined || retryAfterSeconds > maxRetryAfterSeconds)
      return undefined
    return retryAfterSeconds
  }
}

function isPlain(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false
  const prototype: unknown = Object.getPrototypeOf(body)
  return Array.isArray(body) || prototype === Object.prototype || prototype === null
}

type Body = NonNullable<RequestInit['body']>

function asBody(body: unknown): Body {
  // What is neither an object nor a list is what `fetch` takes: the caller's own choice.
  return body as Body
}

/** An answer without a body is null. */
export async function parseJson<Answer>(response: Response): Promise<Answer> {
  return JSON.parse((await response.text()) || 'null')
}
