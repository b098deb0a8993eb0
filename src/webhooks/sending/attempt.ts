import { type Outbound, retryAfterMs } from '#http'
import type { Clock } from '#kernel'
import { type Message, renderBody, renderMessageId } from '../body.ts'
import type { SecretKeeper } from '../secrets.ts'
import { sign } from '../sign.ts'
import type { Due, Target } from '../store/due.ts'

/** What is kept of one attempt. */
export interface Attempted {
  readonly startedAtMs: number
  readonly durationMs: number
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly truncated: boolean
  } | null
  /** Null: it was delivered. */
  readonly error: { readonly code: string; readonly message: string } | null
  /** The receiver asked not to be tried before. */
  readonly notBeforeMs: number | null
}

interface Deps {
  readonly clock: Clock
  readonly secrets: Pick<SecretKeeper, 'open'>
  readonly userAgent: string
  outbound(): Pick<Outbound, 'send'>
}

type Answered = Extract<Awaited<ReturnType<Outbound['send']>>, { ok: true }>
/** Nothing was answered. */
interface Unanswered {
  readonly ok: false
  readonly code: string
  readonly message: string
  readonly durationMs: number
}
type Answer = Answered | Unanswered

const KEPT_BODY_BYTES = 16_384
/** A slow body is no failure; it is not waited for longer than this. */
const BODY_TIMEOUT_MS = 5_000
const KEPT_HEADERS = [
  'content-type',
  'content-length',
  'location',
  'retry-after',
  'date',
  'server',
  'x-request-id',
]

/** One signed request (webhooks contract §7, §8). */
export function createAttempts({ clock, secrets, userAgent, outbound }: Deps) {
  return { send }

  /** Undefined when it was given up by us: nothing can be said of the receiver. */
  async function send(
    target: Target,
    due: Due,
    message: Message | undefined,
  ): Promise<Attempted | undefined> {
    const startedAtMs = clock.now()
    const { answer, requestHeaders } = await request(target, due, message, startedAtMs)
    if (!answer.ok && answer.code === 'aborted') return undefined
    const { url } = target
    const { durationMs } = answer
    const judged = judge(answer, startedAtMs + durationMs)
    return { startedAtMs, durationMs, url, requestHeaders, ...judged }
  }

  /**
   * Whatever is thrown on the way is a failed attempt of this delivery. Tried again as it is it
   * would stand in the way of the others for ever.
   */
  async function request(
    target: Target,
    due: Due,
    message: Message | undefined,
    startedAtMs: number,
  ): Promise<{ answer: Answer; requestHeaders: Record<string, string> }> {
    let requestHeaders = {}
    try {
      if (!message) throw new Error('its message is missing')
      const body = renderBody(message, due.sequence)
      requestHeaders = headersOf(target, due, message, body, startedAtMs)
      const answer = await outbound().send({
        method: 'POST',
        url: target.url,
        headers: requestHeaders,
        body,
        timeoutMs: target.timeoutMs,
        bodyTimeoutMs: BODY_TIMEOUT_MS,
        maxBodyBytes: KEPT_BODY_BYTES,
      })
      return { answer, requestHeaders }
    } catch (error) {
      return { answer: unsent(error), requestHeaders }
    }
  }

  function headersOf(
    target: Target,
    due: Due,
    message: Message,
    body: string,
    startedAtMs: number,
  ): Record<string, string> {
    const id = renderMessageId(message.id)
    const timestampSeconds = Math.floor(startedAtMs / 1000)
    const opened = secrets.open(target.sealed, startedAtMs)
    return {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': sign({ id, timestampSeconds, body }, opened),
      'webhook-event': message.type,
      'webhook-delivery': due.id,
      'webhook-attempt': String(due.attemptCount + 1),
      ...target.headers,
    }
  }
}

export type Attempts = ReturnType<typeof createAttempts>

function unsent(error: unknown): Unanswered {
  const why = error instanceof Error ? error.message : String(error)
  const message = `The request could not be sent: ${why}`
  return { ok: false, code: 'invalid_request', message, durationMs: 0 }
}

function judge(answer: Answer, nowMs: number) {
  if (!answer.ok) {
    const { code, message } = answer
    return { response: null, error: { code, message }, notBeforeMs: null }
  }
  const headers = keptHeaders(answer)
  const response = {
    status: answer.status,
    headers,
    body: answer.body.toString('utf8').replaceAll('\0', '\ufffd'),
    truncated: answer.truncated,
  }
  if (answer.status >= 200 && answer.status <= 299) {
    return { response, error: null, notBeforeMs: null }
  }
  const waitMs = retryAfterMs(headers['retry-after'], nowMs)
  const notBeforeMs = waitMs === null ? null : nowMs + waitMs
  return { response, error: errorOf(answer.status), notBeforeMs }
}

function errorOf(status: number) {
  if (status >= 300 && status <= 399) {
    return { code: 'redirect', message: `Answered ${status}; redirects are not followed` }
  }
  return { code: 'http_status', message: `Answered ${status}` }
}

function keptHeaders({ headers }: Answered): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of KEPT_HEADERS) {
    const value = headers[name]
    if (value !== undefined) kept[name] = String(value)
  }
  return kept
}
