export interface WindowState {
  readonly name: 'minute' | 'month'
  readonly limit: number
  readonly value: number
  readonly endsAtMs: number
  readonly nowMs: number
}

/** What answers to a key say of its limits (Doc 2 §8). */
export function createRateLimitHeaders(hasIetfHeaders: () => boolean) {
  const lengthOf = createLengths()
  return { headersOf, refusalHeadersOf }

  function headersOf(minute: WindowState | null, month: WindowState | null) {
    const shown = month ?? minute
    if (!shown) return {}
    const headers = describe(shown, remaining(shown))
    if (!hasIetfHeaders()) return headers
    // The IETF draft's form, the only one that shows both windows.
    headers['ratelimit-policy'] = listed(minute && policyOf(minute), month && policyOf(month))
    headers['ratelimit'] = listed(minute && currentOf(minute), month && currentOf(month))
    return headers
  }

  function policyOf(state: WindowState): string {
    return `"${state.name}";q=${state.limit};w=${lengthOf(state)}`
  }

  /** Of the window that refuses. */
  function refusalHeadersOf(state: WindowState): Record<string, string> {
    const retryAfter = Math.max(1, secondsLeft(state))
    return { ...describe(state, 0), 'retry-after': String(retryAfter) }
  }
}

function remaining({ limit, value }: WindowState): number {
  return Math.max(0, limit - value)
}

function describe(state: WindowState, left: number): Record<string, string> {
  return {
    'x-ratelimit-limit': String(state.limit),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(toSeconds(state.endsAtMs)),
    'x-ratelimit-window': state.name,
  }
}

function currentOf(state: WindowState): string {
  return `"${state.name}";r=${remaining(state)};t=${secondsLeft(state)}`
}

function listed(minute: string | null, month: string | null): string {
  return minute && month ? `${minute}, ${month}` : (minute ?? month ?? '')
}

/** Lengths of windows in seconds; that of the month is kept, because dates are slow. */
function createLengths() {
  let monthEndsAtMs = 0
  let monthSeconds = 0
  return ({ name, endsAtMs }: WindowState): number => {
    if (name === 'minute') return 60
    if (endsAtMs !== monthEndsAtMs) {
      const end = new Date(endsAtMs)
      monthSeconds = toSeconds(endsAtMs - Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1))
      monthEndsAtMs = endsAtMs
    }
    return monthSeconds
  }
}

function secondsLeft({ endsAtMs, nowMs }: WindowState): number {
  return Math.max(0, Math.ceil((endsAtMs - nowMs) / 1000))
}

export function toSeconds(ms: number): number {
  return Math.round(ms / 1000)
}
