/** What is wrong with one member of what was sent. */
export interface ProblemDetail {
  readonly field: string
  readonly code: string
  readonly message: string
}

/** A request that was refused or failed: everything the server said about it. */
export class EntrepotError extends Error {
  readonly status: number
  /** Stable, to be compared: `not_found`, `validation_error`; empty when the server named none. */
  readonly code: string
  readonly details: readonly ProblemDetail[]
  /** All further members of the problem: `quota`, `required`, `invalid_events`. */
  readonly members: Readonly<Record<string, unknown>>
  /** When the same request may succeed, if the server said so. */
  readonly retryAfterSeconds: number | undefined
  /** By which the operator finds the request in the log. */
  readonly requestId: string | undefined

  constructor(status: number, problem: Problem, headers: Headers) {
    super(problem.message)
    this.name = 'EntrepotError'
    this.status = status
    this.code = problem.code
    this.details = problem.details
    this.members = problem.members
    this.retryAfterSeconds = retryAfterOf(headers)
    this.requestId = headers.get('x-request-id') ?? undefined
  }
}

interface Problem {
  readonly message: string
  readonly code: string
  readonly details: readonly ProblemDetail[]
  readonly members: Readonly<Record<string, unknown>>
}

/** Reads the answer, whatever stood between us and the server and answered in its place. */
export async function errorOf(response: Response): Promise<EntrepotError> {
  const text = await response.text().catch(() => '')
  return new EntrepotError(response.status, parseProblem(text, response), response.headers)
}

/** Refused keys answer `{ error: 'text', … }`, everything else `{ error: { code, message, … }, … }`. */
function parseProblem(text: string, { status, statusText }: Response): Problem {
  const body = parseObject(text)
  const { error, ...beside } = body
  const inner = isObject(error) ? error : typeof error === 'string' ? { message: error } : {}
  const { message, code, details, ...rest } = inner
  return {
    message: message ? String(message) : `${status} ${statusText}`.trim(),
    code: typeof code === 'string' ? code : '',
    details: Array.isArray(details) ? details : [],
    members: { ...beside, ...rest },
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Seconds or a date (RFC 9110 §10.2.3). */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
