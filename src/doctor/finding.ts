/** What was looked at, how it is, and what the operator can do about it. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'fault'
  readonly says: string
  /** Absent where all is well. */
  readonly next?: string
}

export function ok(check: string, says: string): Finding {
  return { check, state: 'ok', says }
}

/** It works now, and will not, or not as well as it could. */
export function warning(check: string, says: string, next: string): Finding {
  return { check, state: 'warning', says, next }
}

/** A start fails, or something that is set does not work. */
export function fault(check: string, says: string, next: string): Finding {
  return { check, state: 'fault', says, next }
}

/** In one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.split('\n', 1)[0] ?? ''
}
