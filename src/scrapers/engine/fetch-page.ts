import { redirectLocation } from '#http-text'
import { createLru } from '#kernel'
import type { Rendered, RenderPage } from '../browser/render-page.ts'
import type { Definition } from '../definition/definition.ts'
import { createExtractor, type Extracted, isHtml } from '../extract/page.ts'
import { readSitemap, type Sitemap } from '../extract/sitemap.ts'
import { clean } from '../extract/values.ts'
import type { NewPage } from '../store/pages.ts'
import { BodyCut, BodyTooLarge, decodeText, unpack } from './decode.ts'
import type { Waiting } from './frontier.ts'
import type { Hosts } from './hosts.ts'
import { NO_PROXY } from './proxies.ts'
import { type Answer, type Requests, textOf } from './requests.ts'
import { isPassingFailure, isPassingStatus } from './retries.ts'
import type { RobotsFiles } from './robots-files.ts'
import { hashOf, type Urls } from './urls.ts'

/** How a page ended, or why it comes again. */
export type Outcome =
  | ({ readonly kind: 'done' } & Done)
  | {
      readonly kind: 'failed'
      readonly code: string
      readonly message: string
      readonly status: number | null
      readonly bytes: number
    }
  | {
      readonly kind: 'skipped'
      readonly code: string
      readonly message: string
      readonly status: number | null
      readonly bytes: number
    }
  | {
      readonly kind: 'retry'
      readonly code: string
      readonly message: string
      readonly status: number | null
      readonly pauseMs: number
      readonly bytes: number
    }
  | { readonly kind: 'aborted' }

export interface Done {
  readonly status: number
  /** The final URL; another one than the page's after redirects. */
  readonly url: URL
  readonly contentType: string | null
  readonly extracted: Extracted
  readonly links: readonly NewPage[]
  readonly isUnchanged: boolean
  readonly etag: string | null
  readonly lastModified: string | null
  readonly bytes: number
}

export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

interface Deps {
  readonly definition: Definition
  readonly urls: Urls
  readonly requests: Requests
  readonly robots: Pick<RobotsFiles, 'of'>
  readonly hosts: Hosts
  readonly signal: AbortSignal
  /** Whether the page is queued or fetched for sure; links to it are left out. */
  isKnown(urlHash: string): boolean
  /** Whether links to it are followed. */
  isInScope(url: URL): boolean
  /** What a browser makes of the HTML; null: it is read as it came. */
  readonly render: RenderPage | null
  /** The page leads there; false: that URL is fetched already, or just now by another page. */
  reserve(page: Waiting, urlHash: string): Promise<boolean>
  validatorsOf(page: Waiting): Promise<Validators | undefined>
  /** Resolves when a page may be read, which keeps the thread busy. */
  takeTurn(): Promise<void>
}

const MAX_REDIRECTS = 10
const MAX_SITEMAP_DEPTH = 5
const MOST_IDENTITIES = 10_000

/** Fetches and reads one page of a run (scrapers contract §4). Nothing is stored here. */
export function createPageFetcher(deps: Deps) {
  const { definition, urls, requests, robots, hosts, signal, isInScope } = deps
  const { crawl } = definition
  const extract = createExtractor(definition.extract)
  /** What links stand for: those of menus and footers are on every page. */
  const identities = createLru<string, Identity>(MOST_IDENTITIES)
  return fetchPage

  async function fetchPage(page: Waiting): Promise<Outcome> {
    try {
      return await follow(page)
    } catch (error) {
      if (signal.aborted) return { kind: 'aborted' }
      throw error
    }
  }

  async function follow(page: Waiting): Promise<Outcome> {
    let url = new URL(page.url)
    let bytes = 0
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const refused = await refusalOf(url, page, hop)
      if (refused) return { ...refused, bytes }
      const headers = await conditionsFor(page, hop)
      const answer = await requests.send({ url, headers, signal })
      signal.throwIfAborted()
      if (!answer.ok) return { ...fromFailure(answer), bytes }
      bytes += answer.body.length
      // Without a condition a 304 says nothing of the page, and fails it like any other odd answer.
      if (answer.status === 304 && Object.keys(headers).length > 0) {
        return unchanged(url, answer.headers, bytes)
      }
      const location = redirectLocation(answer.status, answer.headers)
      const read =
        location === null
          ? await fromAnswer(page, url, answer, bytes)
          : { kind: 'moved' as const, to: location }
      if (read.kind !== 'moved') return read
      const next = urls.identify(read.to, url)
      if (!next) return failed('redirect', 'The redirect cannot be followed', answer.status, bytes)
      url = next
    }
    return failed('too_many_redirects', 'Too many redirects', null, bytes)
  }

  /** Each hop is held against scope and robots; addresses are checked by the client. */
  async function refusalOf(url: URL, page: Waiting, hop: number): Promise<Refused | null> {
    if (hop > 0) {
      if (!page.isStart && page.kind === 'page' && !(isInScope(url) && urls.isWanted(url))) {
        return skipped('out_of_scope', 'The redirect leads out of the scope')
      }
      const urlHash = hashOf(url.href)
      if (urlHash !== page.urlHash && !(await deps.reserve(page, urlHash))) {
        return skipped('duplicate', 'The redirect leads to a page that is fetched already')
      }
    }
    const rules = await robots.of(url)
    // Nobody answered there: the page is not asked either, and fails as its host does.
    if ('failure' in rules) return fromFailure(rules.failure)
    if (rules.isAllowed(url)) return null
    return skipped('robots', 'robots.txt does not allow it')
  }

  async function conditionsFor(page: Waiting, hop: number): Promise<Record<string, string>> {
    if (!crawl.incremental || hop > 0 || page.kind !== 'page') return {}
    const known = await deps.validatorsOf(page)
    return {
      ...(known?.etag ? { 'if-none-match': known.etag } : {}),
      ...(known?.lastModified ? { 'if-modified-since': known.lastModified } : {}),
    }
  }

  async function fromAnswer(
    page: Waiting,
    url: URL,
    answer: Extract<Answer, { ok: true }>,
    bytes: number,
  ): Promise<Outcome | Moved> {
    const { status } = answer
    const pauseMs = hosts.pauseAfter(url.host, answer)
    if (isPassingStatus(status)) {
      const message = `The server answered ${status}`
      return { kind: 'retry', code: 'http_status', message, status, pauseMs, bytes }
    }
    if (status < 200 || status > 299) {
      return failed('http_status', `The server answered ${status}`, status, bytes)
    }
    if (answer.bodyEnd === 'size') return tooLarge(status, bytes)
    if (answer.bodyEnd !== 'complete') {
      return { kind: 'retry', ...UNFINISHED[answer.bodyEnd], status, pauseMs: 0, bytes }
    }
    return read(page, url, answer, bytes)
  }

  async function read(
    page: Waiting,
    url: URL,
    { status, headers, body }: Extract<Answer, { ok: true }>,
    bytes: number,
  ): Promise<Outcome | Moved> {
    const header = textOf(headers['content-type'])
    let unpacked: Buffer
    try {
      unpacked = await unpack(body, textOf(headers['content-encoding']), crawl.maxBodyBytes)
      // Sitemaps are files that are compressed themselves, whatever the header says.
      if (isGzip(unpacked)) unpacked = await unpack(unpacked, 'gzip', crawl.maxBodyBytes)
    } catch (error) {
      if (error instanceof BodyTooLarge) return tooLarge(status, bytes)
      if (error instanceof BodyCut) {
        return { kind: 'retry', ...UNFINISHED.connection, status, pauseMs: 0, bytes }
      }
      return failed('invalid_response', 'The body could not be decoded', status, bytes)
    }
    const contentType = header?.split(';', 1)[0]?.trim().toLowerCase() || null
    const isText = page.kind === 'sitemap' || contentType === null || READABLE.test(contentType)
    const isRendered = deps.render !== null && page.kind === 'page' && isHtml(contentType)
    const rendered = isRendered
      ? await deps.render({ url, status, headers, body: unpacked, signal })
      : null
    if (rendered && rendered.kind !== 'rendered') {
      return rendered.kind === 'moved' ? rendered : { ...rendered, status, bytes }
    }
    await deps.takeTurn()
    signal.throwIfAborted()
    const text = rendered ? clean(rendered.html) : isText ? decodeText(unpacked, header) : ''
    const answered = {
      status,
      url,
      contentType,
      isUnchanged: false,
      bytes,
      ...validatorsIn(headers),
    }
    if (page.kind === 'sitemap') {
      const sitemap = readSitemap(text, url.href)
      const { notes } = sitemap
      const extracted = { ...NOTHING, notes, isPartial: notes.length > 0 }
      return { kind: 'done', ...answered, extracted, links: fromSitemap(page, url, sitemap) }
    }
    const { notes = [] } = rendered ?? {}
    const read = extract({ url, contentType, text, isStart: page.isStart })
    const extracted = { ...read, notes: [...read.notes, ...notes] }
    if (!extracted.isUnderstood) {
      const message = `${contentType ?? 'The type of the body'} is not read`
      return { kind: 'skipped', code: 'content_type', message, status, bytes }
    }
    return { kind: 'done', ...answered, extracted, links: wantedLinks(page, url, extracted) }
  }

  /** What a start URL redirects to is in the scope like itself. */
  function wantedLinks(page: Waiting, from: URL, { links }: Extracted): NewPage[] {
    if (page.depth >= crawl.maxDepth || crawl.sitemap === 'only') return []
    const isReached = page.isStart ? urls.createScope([from]) : isInScope
    const depth = page.depth + 1
    const isFollowed = (url: URL) => (isInScope(url) || isReached(url)) && urls.isWanted(url)
    return distinct(links, isFollowed).map((each) => ({ ...each, depth }))
  }

  function fromSitemap(page: Waiting, base: URL, { pages, sitemaps }: Sitemap): NewPage[] {
    const deeper = page.depth < MAX_SITEMAP_DEPTH ? sitemaps : []
    const isOwn = (url: URL) => isInScope(url) || url.origin === base.origin
    return [
      ...distinct(pages, (url) => isOwn(url) && urls.isWanted(url)).map((each) => ({
        ...each,
        depth: 0,
      })),
      ...distinct(deeper, isOwn).map((each) => {
        return { ...each, depth: page.depth + 1, kind: 'sitemap' as const }
      }),
    ]
  }

  function distinct(links: readonly string[], isWanted: (url: URL) => boolean) {
    const found = new Map<string, { readonly url: string; readonly urlHash: string }>()
    for (const link of links) {
      const identity = identify(link)
      if (!identity || found.has(identity.urlHash) || deps.isKnown(identity.urlHash)) continue
      const { url, urlHash } = identity
      if (isWanted(url)) found.set(urlHash, { url: url.href, urlHash })
    }
    return [...found.values()]
  }

  function identify(link: string): Identity | undefined {
    const before = identities.find(link)
    if (before) return before
    const url = urls.identify(link)
    return url && identities.keep(link, { url, urlHash: hashOf(url.href) })
  }
}

interface Identity {
  readonly url: URL
  readonly urlHash: string
}

/** The page leads elsewhere, by its answer or by its scripts. */
type Moved = Extract<Rendered, { kind: 'moved' }>
type Skipped = Extract<Outcome, { kind: 'skipped' }>
type Refused = Extract<Outcome, { kind: 'skipped' | 'failed' | 'retry' }>
const READABLE = /^text\/|[/+](?:json|xml)$|xhtml|javascript/
/** Why an answer that began well is no page. */
const UNFINISHED = {
  time: { code: 'timeout', message: 'The answer was not complete within timeout_seconds' },
  connection: {
    code: 'connection_reset',
    message: 'The connection was closed before the answer was complete',
  },
} as const
const NOTHING: Extracted = {
  ...{ items: [], links: [], dropped: 0, isPartial: false, notes: [], isUnderstood: true },
}

function fromFailure({
  code,
  message,
}: Extract<Answer, { ok: false }>): Extract<Outcome, { kind: 'retry' | 'failed' }> {
  const shown = message === NO_PROXY ? 'no_proxy_available' : code
  const failure = { code: shown, message, status: null, bytes: 0 }
  return isPassingFailure(code)
    ? { kind: 'retry', ...failure, pauseMs: 0 }
    : { kind: 'failed', ...failure }
}

function unchanged(url: URL, headers: Headers, bytes: number): Outcome {
  return {
    ...{ kind: 'done', status: 304, url, contentType: null, isUnchanged: true, bytes },
    ...{ extracted: NOTHING, links: [], ...validatorsIn(headers) },
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

function validatorsIn(headers: Headers): Validators {
  const short = (value: string | undefined) => (value && value.length <= 500 ? value : null)
  return {
    etag: short(textOf(headers['etag'])),
    lastModified: short(textOf(headers['last-modified'])),
  }
}

function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b
}

function skipped(code: string, message: string): Skipped {
  return { kind: 'skipped', code, message, status: null, bytes: 0 }
}

function failed(code: string, message: string, status: number | null, bytes: number): Outcome {
  return { kind: 'failed', code, message, status, bytes }
}

function tooLarge(status: number, bytes: number): Outcome {
  return failed('body_too_large', 'The body is larger than max_body_bytes', status, bytes)
}
