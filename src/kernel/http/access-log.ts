import { maskQuery } from './mask.ts'
import type { RequestObserver } from './outcome.ts'
import { pathOf, rawQueryOf } from './query.ts'

const MAX_USER_AGENT = 256

/** Where the lines go; any logger will do. */
export interface AccessLogSink {
  info(fields: Record<string, string | number | undefined>, message: string): void
}

/** One line per request with everything known about it; credentials never appear. */
export function createAccessLog(log: AccessLogSink): RequestObserver {
  return (outcome) => {
    const { url } = outcome
    const query = rawQueryOf(url)
    log.info(
      {
        request_id: outcome.id,
        method: outcome.method,
        path: pathOf(url),
        query: query === '' ? undefined : maskQuery(query),
        route: outcome.route,
        status: outcome.status,
        bytes: outcome.bytes,
        duration_ms: Math.round(outcome.durationMs * 1000) / 1000,
        remote_addr: outcome.address,
        api_key_id: outcome.apiKeyId,
        user_agent: outcome.userAgent?.slice(0, MAX_USER_AGENT),
        error: outcome.error,
      },
      'request',
    )
  }
}
