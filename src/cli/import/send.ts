import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '#kernel'

export interface Outcome {
  readonly index: number
  readonly status: number
  readonly unchanged?: boolean
  readonly error?: { readonly message?: string; readonly details?: readonly Detail[] }
}

interface Detail {
  readonly field: string
  readonly message: string
}

export interface Target {
  readonly url: string
  readonly key: string
  /** As in the path: `articles`. */
  readonly collection: string
}

/** A request that is under way. */
export interface Sent {
  readonly key: string
  readonly outcomes: Promise<readonly Outcome[]>
}

const ATTEMPTS = 8
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000

/**
 * Sends one bulk request; its outcomes say what became of each operation. The server carries it out behind the one
 * before, or refuses it: then it is sent again when that one is answered.
 */
export function sendBatch(target: Target, body: string, key: string, before?: Sent): Sent {
  const outcomes = before ? behind(before) : send(target, body, { 'idempotency-key': key })
  // Told in its turn.
  outcomes.catch(() => {})
  return { key, outcomes }

  async function behind(first: Sent): Promise<readonly Outcome[]> {
    const headers = { 'idempotency-key': key, 'idempotency-after': first.key }
    try {
      const answer = await post(target, body, headers)
      if (answer.ok) return parseOutcomes(await answer.text())
      await answer.body?.cancel()
    } catch {
      // As if it had not been sent: its key keeps it from being stored twice.
    }
    await first.outcomes
    return send(target, body, { 'idempotency-key': key })
  }
}

function post({ url, key, collection }: Target, body: string, headers: Record<string, string>) {
  return fetch(`${url}/api/v1/${collection}/bulk`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    body,
  })
}

/**
 * Repeated when the server is away or busy; the idempotency key keeps a repetition from storing anything twice.
 */
async function send(
  target: Target,
  body: string,
  headers: Record<string, string>,
): Promise<readonly Outcome[]> {
  const { url } = target
  for (let attempt = 1; ; attempt++) {
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS)
    try {
      const answer = await post(target, body, headers)
      const text = await answer.text()
      if (answer.ok) return parseOutcomes(text)
      if (!isPassing(answer.status) || attempt === ATTEMPTS) throw refused(answer.status, text)
      await delay(retryAfterMs(answer) ?? waitMs)
    } catch (error) {
      if (error instanceof OperatorError) throw error
      if (attempt === ATTEMPTS) throw new OperatorError(`${url} does not answer`, error)
      await delay(waitMs)
    }
  }
}

/** The same request may succeed later. */
function isPassing(status: number): boolean {
  return status === 429 || status === 409 || status >= 500
}

function retryAfterMs(answer: Response): number | undefined {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.min(seconds * 1000, LONGEST_WAIT_MS) : undefined
}

function parseOutcomes(text: string): readonly Outcome[] {
  const { data }: { data: readonly Outcome[] } = JSON.parse(text)
  return data
}

function refused(status: number, text: string): OperatorError {
  return new OperatorError(`The server refused the import with ${status}: ${messageIn(text)}`)
}

function messageIn(text: string): string {
  try {
    const { error }: { error?: string | { message?: string } } = JSON.parse(text)
    return (typeof error === 'string' ? error : error?.message) ?? text.slice(0, 200)
  } catch {
    return text.slice(0, 200)
  }
}
