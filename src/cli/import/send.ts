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
 * Answers what became of each operation. A body that the server cannot read, for one text in it, is sent again in
 * halves until that operation is alone.
 */
export async function sendBatch(
  target: Target,
  operations: readonly string[],
  idempotencyKey: string,
): Promise<readonly Outcome[]> {
  const { status, text } = await send(target, operations, idempotencyKey)
  if (status < 300) return parseOutcomes(text)
  if (status !== 400) throw refused(status, text)
  if (operations.length === 1) return [{ index: 0, status, error: { message: messageIn(text) } }]
  const half = Math.ceil(operations.length / 2)
  const first = await sendBatch(target, operations.slice(0, half), `${idempotencyKey}a`)
  const others = await sendBatch(target, operations.slice(half), `${idempotencyKey}b`)
  return [...first, ...others.map((each) => ({ ...each, index: each.index + half }))]
}

/**
 * One bulk request. It is repeated when the server is away or busy; the idempotency key keeps a repetition from
 * storing anything twice.
 */
async function send(
  { url, key, collection }: Target,
  operations: readonly string[],
  idempotencyKey: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const request = {
    method: 'POST',
    headers: {
      'x-api-key': key,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: `{"operations":[${operations.join()}]}`,
  }
  for (let attempt = 1; ; attempt++) {
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS)
    try {
      const answer = await fetch(`${url}/api/v1/${collection}/bulk`, request)
      const text = await answer.text()
      if (!isPassing(answer.status) || attempt === ATTEMPTS) return { status: answer.status, text }
      await delay(retryAfterMs(answer) ?? waitMs)
    } catch (error) {
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
