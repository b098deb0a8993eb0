import type { Outbound } from '#http'
import type { Crawl } from '../definition/definition.ts'
import type { Cookies } from './cookies.ts'
import { ACCEPT_ENCODING } from './decode.ts'
import type { Hosts } from './hosts.ts'
import type { Pace } from './pace.ts'
import type { Way } from './proxies.ts'

interface Deps {
  readonly crawl: Pick<Crawl, 'timeoutSeconds' | 'maxBodyBytes'>
  readonly headers: ReadonlyMap<string, string>
  /** Origins that the headers of the definition may be sent to. */
  readonly trustedOrigins: ReadonlySet<string>
  readonly userAgent: string
  readonly pace: Pace
  readonly hosts: Hosts
  readonly cookies: Cookies
  readonly way: Way
}

export interface Asked {
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly maxBodyBytes?: number
  readonly signal: AbortSignal
}

export type Answer = Awaited<ReturnType<Outbound['send']>>
export type OpenAnswer = Awaited<ReturnType<Outbound['open']>>

const ACCEPT =
  'text/html,application/xhtml+xml,application/xml;q=0.9,application/json;q=0.9,*/*;q=0.8'

/**
 * One exchange, when rate and host allow it. Pages, retries, redirects, robots.txt and sitemaps all
 * come this way, so that they count alike (scrapers contract §4).
 */
export function createRequests(deps: Deps) {
  const { crawl, pace, hosts, cookies, way } = deps
  return { send, open, ownHeaders }

  async function send(asked: Asked): Promise<Answer> {
    const { url } = asked
    const answer = await way.use(url.host, async (client) => {
      const request = await prepare(asked)
      return client.send(request).finally(request.isOver)
    })
    if (answer.ok) cookies.take(url, answer.headers['set-cookie'])
    return answer
  }

  /** Answers at the headers, for bodies too large to be held in memory. */
  async function open(asked: Asked): Promise<OpenAnswer> {
    const { url } = asked
    const answer = await way.use(url.host, async (client) => {
      const request = await prepare(asked)
      return client.open(request).finally(request.isOver)
    })
    if (answer.ok) cookies.take(url, answer.headers['set-cookie'])
    return answer
  }

  /** Resolves when the request may begin. */
  async function prepare({ url, headers = {}, maxBodyBytes, signal }: Asked) {
    const onSend = await hosts.turn(url.host, signal, () => pace.take(signal))
    const isOver = () => {
      onSend()
      pace.answered()
    }
    return {
      ...{ onSend, isOver },
      ...{ method: 'GET', url: url.href, signal },
      headers: { ...headersFor(url), ...headers },
      timeoutMs: crawl.timeoutSeconds * 1_000,
      bodyTimeoutMs: 'rest' as const,
      maxBodyBytes: maxBodyBytes ?? crawl.maxBodyBytes,
    }
  }

  function headersFor(url: URL): Record<string, string> {
    const cookie = cookies.headerFor(url)
    return {
      'user-agent': deps.userAgent,
      accept: ACCEPT,
      'accept-encoding': ACCEPT_ENCODING,
      ...(cookie === undefined ? {} : { cookie }),
      ...ownHeaders(url),
    }
  }

  /** The headers of the definition, for the origins that they are meant for. */
  function ownHeaders(url: URL): Record<string, string> {
    return deps.trustedOrigins.has(url.origin) ? lowerCase(Object.fromEntries(deps.headers)) : {}
  }
}

export type Requests = ReturnType<typeof createRequests>

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Where an answer asks to go. Header values arrive as one character per byte; raw UTF-8 has to reach the URL byte by byte. */
export function locationOf(answer: {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}): string | null {
  const location = answer.headers['location']
  if (!REDIRECTS.has(answer.status) || typeof location !== 'string') return null
  return location.replace(
    /[\x80-\xff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The value of a header that is sent once. */
export function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
