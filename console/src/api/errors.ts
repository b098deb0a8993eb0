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
  const body = await response.json().catch(() => ({}))
  const error = body.error ?? body.errors?.[0] ?? body
  const { status } = response
  if (typeof error === 'string') return new ApiError(status, body.code ?? 'refused', error, [])
  const message = error.message ?? error.error_msg ?? error.detail ?? `The server said ${status}`
  return new ApiError(status, error.code ?? 'failed', message, error.details ?? [])
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

export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  if (error instanceof TypeError) return 'The server does not answer. Is it running?'
  return error instanceof Error ? error.message : String(error)
}
