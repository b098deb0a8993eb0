/** The key of the first admin of every server that tests start. */
export const ADMIN_KEY = `sk_${'Admin0'.repeat(8)}`

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Parsed when it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

export interface Sent {
  /** The one all calls use when absent, none when null. */
  readonly key?: string | null
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly text?: string | Buffer
  readonly form?: FormData
  readonly headers?: Record<string, string>
}

interface CallOptions {
  /** What comes before every path. */
  readonly prefix?: string
  readonly key?: string
  /** Of what is sent as JSON or text; null: none is named. */
  readonly contentType?: string | null
  readonly redirect?: 'follow' | 'manual'
  /** After every call that changed something. */
  afterChange?(): Promise<void>
}

/** Calls of one server by path. */
export function createCalls(url: () => string, options: CallOptions = {}) {
  const { prefix = '', contentType = 'application/json', afterChange, redirect } = options
  return { call, ok, data }

  async function call(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const { key = options.key ?? ADMIN_KEY, form } = sent
    const payload = payloadOf(sent)
    const response = await fetch(`${url()}${prefix}${path}`, {
      method,
      ...(redirect ? { redirect } : {}),
      headers: {
        ...(key === null ? {} : { 'x-api-key': key }),
        ...(payload === undefined || contentType === null ? {} : { 'content-type': contentType }),
        ...sent.headers,
      },
      ...(form || payload !== undefined ? { body: form ?? payload ?? '' } : {}),
    })
    const { status, headers } = response
    const answer = { status, headers, body: parse(await response.text()) }
    if (response.ok && method !== 'GET' && method !== 'HEAD') await afterChange?.()
    return answer
  }

  /** The body of an answer that must succeed. */
  async function ok(method: string, path: string, sent: Sent = {}) {
    const { status, body } = await call(method, path, sent)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }

  /** The `data` of an answer that must succeed. */
  async function data(method: string, path: string, sent: Sent = {}) {
    return (await ok(method, path, sent))?.data
  }
}

function payloadOf({ body, text }: Sent): string | Uint8Array<ArrayBuffer> | undefined {
  if (text !== undefined) return typeof text === 'string' ? text : new Uint8Array(text)
  return body === undefined ? undefined : JSON.stringify(body)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
