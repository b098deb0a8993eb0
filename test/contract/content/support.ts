import { AsyncResource } from 'node:async_hooks'
import { before } from 'node:test'
import { type DatabaseKind, installation, startServer, type TestServer } from '#test-kit'

export const ADMIN_KEY = `sk_${'Admin0'.repeat(8)}`

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Parsed when it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

export interface Sent {
  /** The admin's when absent, none when null. */
  readonly key?: string | null
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** One server for all tests of a `describe`. */
export function contentServer(kind: DatabaseKind, extra: Record<string, string> = {}) {
  let running: TestServer | undefined
  // What a hook starts ends with the hook; bound here, it belongs to the `describe`.
  const start = AsyncResource.bind(async () => {
    return startServer(await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ...extra }))
  })
  before(async () => {
    running = await start()
  })
  const server = () => {
    if (!running) throw new Error('not started yet')
    return running
  }
  return { server, ...caller(() => server().url) }
}

export type Caller = ReturnType<typeof caller>

/** Shorthands for calls of one server; paths are whole. */
export function caller(url: () => string) {
  return { call, data }

  async function call(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const { key = ADMIN_KEY, body, headers } = sent
    const answer = await fetch(`${url()}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { 'x-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, headers: answer.headers, body: parse(await answer.text()) }
  }

  /** The `data` of an answer that must succeed. */
  async function data(method: string, path: string, sent: Sent = {}) {
    const { status, body } = await call(method, path, sent)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
    return body?.data
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
