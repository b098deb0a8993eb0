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

const ATTEMPTS = 8
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000

/**
 * Sends one bulk request and answers what became of each operation. It is repeated when the server
 * is away or busy; the idempotency key keeps a repetition from storing anything twice.
 */
export async function sendBatch(
  { url, key, collection }: Target,
  body: string,
  idempotencyKey: string,
): Promise<readonly Outcome[]> {
  const request = {
    method: 'POST',
    headers: {
      'x-api-key': key,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body,
  }
  for (let attempt = 1; ; attempt++) {
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS)
    try {
      const answer = await fetch(`${url}/api/v1/${collection}/bulk`, request)
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
