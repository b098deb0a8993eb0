import type { Clock, Outbound } from '#kernel'
import { type Message, renderBody, renderMessageId } from '../body.ts'
import type { SecretKeeper } from '../secrets.ts'
import { sign } from '../sign.ts'
import { parseRetryAfter } from './retry.ts'
import type { Attempted, Due, Target } from './types.ts'

interface Deps {
  readonly clock: Clock
  readonly secrets: Pick<SecretKeeper, 'open'>
  readonly userAgent: string
  outbound(): Pick<Outbound, 'send'>
}

type Answer = Awaited<ReturnType<Outbound['send']>>
type Answered = Extract<Answer, { ok: true }>

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
  async function send(target: Target, due: Due, message: Message): Promise<Attempted | undefined> {
    const startedAtMs = clock.now()
    const body = renderBody(message, due.sequence)
    const headers = headersOf(target, due, message, body, startedAtMs)
    const answer = await outbound().send({
      method: 'POST',
      url: target.url,
      headers,
      body,
      timeoutMs: target.timeoutMs,
      bodyTimeoutMs: BODY_TIMEOUT_MS,
      maxBodyBytes: KEPT_BODY_BYTES,
    })
    if (!answer.ok && answer.code === 'aborted') return undefined
    const { url } = target
    const base = { startedAtMs, durationMs: answer.durationMs, url, requestHeaders: headers }
    return { ...base, ...judge(answer, startedAtMs + answer.durationMs) }
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
  const notBeforeMs = parseRetryAfter(headers['retry-after'], nowMs)
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
