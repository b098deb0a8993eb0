/** One problem with one field, as every refusal of the API lists them. */
export interface Detail {
  readonly field: string
  readonly code: string
  readonly message: string
}

/** The API said no. `message` is meant for people. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: readonly Detail[]

  constructor(status: number, code: string, message: string, details: readonly Detail[]) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** Refusals of keys and sign-ins are bare texts; all others have the house's form. */
export async function toApiError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined)
  const { status } = response
  if (typeof body !== 'object' || body === null) {
    return new ApiError(status, isAway(status) ? UNREACHED : 'not_json', wordsOf(status), [])
  }
  const given: Refusal & { error?: Refusal | string; errors?: readonly Refusal[] } = body
  // The gateway says all in one text; its list lacks what the text says of the place.
  const error = given.error ?? (given.error_msg ? given : given.errors?.[0]) ?? given
  if (typeof error === 'string') return new ApiError(status, given.code ?? 'refused', error, [])
  const message = error.message ?? error.error_msg ?? error.detail ?? `The server said ${status}`
  const words = filledIn(message, error.parameters ?? {})
  return new ApiError(status, error.code ?? 'failed', words, error.details ?? [])
}

/** As the dialects spell it. */
interface Refusal {
  readonly code?: string
  readonly message?: string
  readonly error_msg?: string
  readonly detail?: string
  readonly details?: readonly Detail[]
  /** Of the commerce dialect: what stands for `%name`, or in a list for `%1`. */
  readonly parameters?: Readonly<Record<string, unknown>> | readonly unknown[]
}

function filledIn(message: string, parameters: object): string {
  const isList = Array.isArray(parameters)
  const given = new Map<string, unknown>(
    Object.entries(parameters).map(([name, value]) => [
      isList ? String(Number(name) + 1) : name,
      value,
    ]),
  )
  return message.replace(/%(\w+)/g, (as, name) => String(given.get(name) ?? as))
}

/** The code of an answer that a proxy gives while its server does not. */
export const UNREACHED = 'unreached'

function isAway(status: number): boolean {
  return status === 502 || status === 503 || status === 504
}

/** Our server answers in JSON: this was said by a proxy or the like in its place. */
function wordsOf(status: number): string {
  if (isAway(status))
    return `The server cannot be reached just now (${status}). What you see here stays: try again in a moment.`
  if (status === 413) return 'A proxy before the server refuses this as too large (413)'
  return `Something between this page and the server has answered in its place (${status})`
}

/** What to show at each field; faults inside a field are shown at it, with their own path. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  const found = new Map<string, string>()
  for (const { field, message } of error.details) {
    if (!found.has(field)) found.set(field, message)
  }
  return Object.fromEntries(found)
}

/** All that is wrong, in one text: of several faults the message alone says no more than how many there are. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError) || error.details.length < 2) return summaryOf(error)
  return `${error.message}: ${error.details.map(({ message }) => message).join('; ')}`
}

/** For where each fault is listed beside it. */
export function summaryOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  if (error instanceof TypeError) return 'The server does not answer. Is it running?'
  return error instanceof Error ? error.message : String(error)
}
