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
  return ({ request, status, route, bytes, durationMs }) => {
    const url = request.originalUrl
    const query = rawQueryOf(url)
    log.info(
      {
        request_id: request.id,
        method: request.method,
        path: pathOf(url),
        query: query === '' ? undefined : maskQuery(query),
        route,
        status,
        bytes,
        duration_ms: Math.round(durationMs * 1000) / 1000,
        remote_addr: request.ip,
        api_key_id: request.actor?.apiKeyId ?? undefined,
        user_agent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT),
        error: request.refusal ?? undefined,
      },
      'request',
    )
  }
}
