import { hash } from 'node:crypto'
import { getDomain } from 'tldts'
import type { Crawl } from '../definition/definition.ts'
import { createGlobs } from '../glob.ts'
import { normalisePercent } from './percent.ts'

const MAX_URL = 2_048

/** What makes two URLs the same page (scrapers contract §4), and what a run may fetch. */
export function createUrls(crawl: Pick<Crawl, 'stripParams' | 'follow' | 'include' | 'exclude'>) {
  const isStripped = createNameMatcher(crawl.stripParams)
  const included = crawl.include.length > 0 ? createGlobs(crawl.include) : () => true
  const excluded = createGlobs(crawl.exclude)
  return { identify, isWanted, createScope }

  /** The address that is fetched and compared; undefined for what is no page. */
  function identify(text: string, base?: URL | string): URL | undefined {
    const url = URL.parse(text.trim(), base)
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
    // A URL is parsed again with every part that is set; most links need none of it.
    if (url.href.includes('@')) {
      url.username = ''
      url.password = ''
    }
    if (url.href.includes('#')) url.hash = ''
    if (url.pathname.includes('%')) url.pathname = normalisePercent(url.pathname)
    const query = url.search.slice(1)
    if (query !== '') url.search = keepParameters(query)
    return url.href.length > MAX_URL ? undefined : url
  }

  function keepParameters(query: string): string {
    const kept = query.split('&').filter((pair) => !isStripped(nameOf(pair)))
    return normalisePercent(kept.join('&'))
  }

  /** By include and exclude; start URLs are not asked about. */
  function isWanted(url: URL): boolean {
    return included(url) && !excluded(url)
  }

  /** Which links are followed from these start URLs. */
  function createScope(starts: readonly URL[]): (url: URL) => boolean {
    const key = SCOPES[crawl.follow]
    if (key === null) return () => false
    const reached = new Set(starts.map(key))
    return (url) => reached.has(key(url))
  }
}

export type Urls = ReturnType<typeof createUrls>

const SCOPES: Record<Crawl['follow'], ((url: URL) => string) | null> = {
  none: null,
  origin: (url) => url.origin,
  host: (url) => url.hostname,
  domain: domainOf,
  any: () => '',
}

/** Addresses and names without a registrable domain stand for themselves. */
function domainOf({ hostname }: URL): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
}

function nameOf(pair: string): string {
  const end = pair.indexOf('=')
  const raw = end < 0 ? pair : pair.slice(0, end)
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '))
  } catch {
    return raw
  }
}

/** Names with `*` for any text. */
function createNameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const parts = patterns.filter((pattern) => pattern.includes('*')).map((each) => each.split('*'))
  return (name) => exact.has(name) || parts.some((pieces) => matchesPieces(name, pieces))
}

function matchesPieces(name: string, pieces: readonly string[]): boolean {
  const [first = '', ...rest] = pieces
  const last = rest.pop() ?? ''
  if (name.length < first.length + last.length) return false
  if (!name.startsWith(first) || !name.endsWith(last)) return false
  let at = first.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= name.length - last.length
}

/** A short name of a URL or another key, the same on every node. */
export function hashOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22)
}
