import { toMs } from '../extract/values.ts'

export interface Cookie {
  readonly name: string
  readonly value: string
  readonly path: string
  readonly isSecure: boolean
  readonly isHttpOnly: boolean
  readonly expiresAtMs: number
}

const MAX_PER_HOST = 100
const MAX_HOSTS = 10_000
const MAX_LENGTH = 4_096

/** The cookies of one run, each for the host that set it alone (scrapers contract §4). */
export function createCookies(now: () => number) {
  const byHost = new Map<string, Map<string, Cookie>>()
  return { take, headerFor, keep, all }

  function take(url: URL, header: string | readonly string[] | undefined): void {
    const lines = header === undefined ? [] : [header].flat()
    for (const line of lines) {
      const cookie = parse(line, url, now())
      if (cookie) keep(url.hostname, cookie)
    }
  }

  /** Every cookie that still holds, with its host. */
  function all(): { readonly host: string; readonly cookie: Cookie }[] {
    const nowMs = now()
    return [...byHost].flatMap(([host, own]) =>
      [...own.values()].flatMap((cookie) => (cookie.expiresAtMs > nowMs ? { host, cookie } : [])),
    )
  }

  function keep(host: string, cookie: Cookie) {
    const own = byHost.get(host) ?? new Map<string, Cookie>()
    if (!byHost.has(host) && byHost.size >= MAX_HOSTS) return
    byHost.set(host, own)
    const key = `${cookie.name};${cookie.path}`
    own.delete(key)
    if (cookie.expiresAtMs <= now()) return
    own.set(key, cookie)
    const [oldest] = own.keys()
    if (own.size > MAX_PER_HOST && oldest !== undefined) own.delete(oldest)
  }

  /** The value of the `Cookie` header, undefined when there is none to send. */
  function headerFor(url: URL): string | undefined {
    const own = byHost.get(url.hostname)
    if (!own) return undefined
    const nowMs = now()
    const sent = [...own.values()]
      .filter((cookie) => cookie.expiresAtMs > nowMs && applies(cookie, url))
      .sort((a, b) => b.path.length - a.path.length)
    return sent.map(({ name, value }) => `${name}=${value}`).join('; ') || undefined
  }
}

export type Cookies = ReturnType<typeof createCookies>

function applies({ path, isSecure }: Cookie, url: URL): boolean {
  if (isSecure && url.protocol !== 'https:') return false
  const { pathname } = url
  if (!pathname.startsWith(path)) return false
  return pathname.length === path.length || path.endsWith('/') || pathname[path.length] === '/'
}

function parse(line: string, url: URL, nowMs: number): Cookie | undefined {
  if (line.length > MAX_LENGTH) return undefined
  const [pair = '', ...attributes] = line.split(';')
  const equals = pair.indexOf('=')
  const name = pair.slice(0, equals).trim()
  if (equals < 1 || name === '') return undefined
  const given = new Map(attributes.map(toAttribute))
  if (!isWithin(url.hostname, given.get('domain') ?? '')) return undefined
  const path = given.get('path') ?? ''
  return {
    name,
    value: pair.slice(equals + 1).trim(),
    path: path.startsWith('/') ? path : defaultPath(url),
    isSecure: given.has('secure'),
    isHttpOnly: given.has('httponly'),
    expiresAtMs: expiryOf(given, nowMs),
  }
}

/** RFC 6265 §5.3: a cookie for a domain that its host does not belong to is not taken. */
function isWithin(host: string, given: string): boolean {
  const domain = given.replace(/^\./, '').toLowerCase()
  return domain === '' || host === domain || host.endsWith(`.${domain}`)
}

function toAttribute(text: string): [string, string] {
  const equals = text.indexOf('=')
  if (equals < 0) return [text.trim().toLowerCase(), '']
  return [text.slice(0, equals).trim().toLowerCase(), text.slice(equals + 1).trim()]
}

/** Every date of a cookie has a time (RFC 6265 §5.1.1); Node would take `0` for a year. */
const TIME = /\d:\d{1,2}:\d/

/** RFC 6265 §5.3: `Max-Age` before `Expires`; neither means for the whole run. */
function expiryOf(given: ReadonlyMap<string, string>, nowMs: number): number {
  const maxAge = given.get('max-age')
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return nowMs + Number(maxAge) * 1_000
  const date = given.get('expires') ?? ''
  const expires = TIME.test(date) ? toMs(date) : Number.NaN
  return Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires
}

function defaultPath({ pathname }: URL): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')))
}
