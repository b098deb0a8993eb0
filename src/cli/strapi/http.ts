import { setTimeout as delay } from 'node:timers/promises'
import { isObject, OperatorError } from '#kernel'

const ATTEMPTS = 6
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** A server that is asked over and over; one that is away or busy for a while is waited for. */
export interface Peer {
  readonly url: string
  get(path: string): Promise<Answer>
  send(method: string, path: string, body: object | FormData): Promise<Answer>
  /** The bytes at a URL, which may be of another host: that one does not see the credential. */
  bytes(url: string): Promise<Blob | undefined>
}

/** `headers` carry the credential. */
export function createPeer(url: string, headers: Readonly<Record<string, string>>): Peer {
  return {
    url,
    async get(path) {
      return toAnswer(await ask(`${url}${path}`, { headers }))
    },
    async send(method, path, body) {
      const isForm = body instanceof FormData
      const type = isForm ? {} : { 'content-type': 'application/json' }
      const init = {
        method,
        headers: { ...headers, ...type },
        body: isForm ? body : JSON.stringify(body),
      }
      return toAnswer(await ask(`${url}${path}`, init))
    },
    async bytes(given) {
      const whole = new URL(given, `${url}/`)
      const isOwn = whole.origin === new URL(url).origin
      const answer = await ask(whole.href, isOwn ? { headers } : {})
      return answer.ok ? answer.blob() : undefined
    },
  }
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS)
    try {
      const answer = await fetch(url, init)
      if (!isPassing(answer.status) || attempt === ATTEMPTS) return answer
      await answer.arrayBuffer()
      await delay(retryAfterMs(answer) ?? waitMs)
    } catch (error) {
      if (attempt === ATTEMPTS)
        throw new OperatorError(`${new URL(url).origin} does not answer`, error)
      await delay(waitMs)
    }
  }
}

function isPassing(status: number): boolean {
  return status === 429 || status >= 500
}

function retryAfterMs(answer: Response): number | undefined {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.min(seconds * 1000, LONGEST_WAIT_MS) : undefined
}

async function toAnswer(answer: Response): Promise<Answer> {
  const text = await answer.text()
  try {
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  } catch {
    return { status: answer.status, body: text.slice(0, 200) }
  }
}

/** What a refusal says, in either server's envelope. */
export function messageOf({ status, body }: Answer): string {
  const error = isObject(body) ? body['error'] : undefined
  if (typeof error === 'string') return error
  if (isObject(error) && typeof error['message'] === 'string') return error['message']
  return `answered ${status}`
}
