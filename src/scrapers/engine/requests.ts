import type { Outbound } from '#kernel'
import type { Crawl } from '../definition/definition.ts'
import type { Cookies } from './cookies.ts'
import { ACCEPT_ENCODING } from './decode.ts'
import type { Hosts } from './hosts.ts'
import type { Pace } from './pace.ts'
import type { Proxies } from './proxies.ts'

interface Deps {
  readonly crawl: Pick<Crawl, 'timeoutSeconds' | 'maxBodyBytes'>
  readonly headers: ReadonlyMap<string, string>
  /** Origins that the headers of the definition may be sent to. */
  readonly trustedOrigins: ReadonlySet<string>
  readonly userAgent: string
  readonly pace: Pace
  readonly hosts: Hosts
  readonly cookies: Cookies
  /** Null: every request goes out directly. */
  readonly proxies: Proxies | null
  readonly direct: Outbound
}

export interface Asked {
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly maxBodyBytes?: number
  readonly signal: AbortSignal
}

export type Answer = Awaited<ReturnType<Outbound['send']>>

const ACCEPT =
  'text/html,application/xhtml+xml,application/xml;q=0.9,application/json;q=0.9,*/*;q=0.8'

/**
 * One exchange, when rate and host allow it. Pages, retries, redirects, robots.txt and sitemaps all
 * come this way, so that they count alike (scrapers contract §4).
 */
export function createRequests(deps: Deps) {
  const { crawl, pace, hosts, cookies, proxies, direct } = deps
  return { send }

  async function send({ url, headers = {}, maxBodyBytes, signal }: Asked): Promise<Answer> {
    await hosts.turn(url.host, signal)
    await pace.take(signal)
    hosts.began(url.host)
    const request = {
      ...{ method: 'GET', url: url.href, signal },
      headers: { ...headersFor(url), ...headers },
      timeoutMs: crawl.timeoutSeconds * 1_000,
      bodyTimeoutMs: crawl.timeoutSeconds * 1_000,
      maxBodyBytes: maxBodyBytes ?? crawl.maxBodyBytes,
    }
    const answer = proxies ? await proxies.send(url, request) : await direct.send(request)
    if (answer.ok) cookies.take(url, answer.headers['set-cookie'])
    return answer
  }

  function headersFor(url: URL): Record<string, string> {
    const cookie = cookies.headerFor(url)
    const own = deps.trustedOrigins.has(url.origin) ? Object.fromEntries(deps.headers) : {}
    return {
      'user-agent': deps.userAgent,
      accept: ACCEPT,
      'accept-encoding': ACCEPT_ENCODING,
      ...(cookie === undefined ? {} : { cookie }),
      ...lowerCase(own),
    }
  }
}

export type Requests = ReturnType<typeof createRequests>

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}
