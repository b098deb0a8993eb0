import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, BrowserContext, CDPSession, Page, Request, Route } from 'playwright-core'
import type { Random } from '#kernel'
import type { Crawl } from '../definition/definition.ts'
import type { Cookies } from '../engine/cookies.ts'
import { ACCEPT_ENCODING, unpack } from '../engine/decode.ts'
import type { Way } from '../engine/proxies.ts'
import { giveCookies, takeCookies } from './context-cookies.ts'
import { openPageProxy } from './page-proxy.ts'
import { SERIALISE } from './serialise.ts'

/** A page that was fetched, on its way through the browser. */
export interface RenderOrder {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  /** Without its content coding. */
  readonly body: Buffer
  readonly signal: AbortSignal
}

export type Rendered =
  | { readonly kind: 'rendered'; readonly html: string; readonly notes: readonly string[] }
  /** Its scripts went to another page: a redirect like any other. */
  | { readonly kind: 'moved'; readonly to: string }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | {
      readonly kind: 'retry'
      readonly code: string
      readonly message: string
      readonly pauseMs: number
    }

export type RenderPage = (order: RenderOrder) => Promise<Rendered>

/** What the pages of one run have in common. */
export interface RunView {
  readonly crawl: Crawl
  readonly cookies: Cookies
  readonly way: Way
  readonly userAgent: string
  /** The headers of the definition, where they may be sent to. */
  ownHeaders(url: URL): Readonly<Record<string, string>>
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** All that a page loads may have this many times `max_body_bytes`. */
const LOADED_BODIES = 10
/** After the load event: how long a page may go on asking before it is taken. */
const MAX_BUSY_MS = 5_000
/** At the end of its time a page still gets this to hand itself over; one whose scripts never end does not. */
const TAKE_MS = 5_000
/** A moment where cores are free. Meanwhile the page keeps its slot, and others go on. */
const CLOSE_MS = 60_000
const MEDIA: ReadonlySet<string> = new Set(['image', 'font', 'media'])
/** Headers of the document that change how it is shown; the rest was for the one who fetched it. */
const SHOWN_HEADERS = [
  'content-type',
  'content-language',
  'content-security-policy',
  'link',
  'permissions-policy',
  'referrer-policy',
  'refresh',
]

/**
 * Shows a fetched page to the browser and takes what its scripts made of it. The document itself is
 * not fetched again: rate, robots, scope, redirects and limits are those of every other page. Each
 * page has a context of its own, which is thrown away with it.
 */
export async function renderPage(
  browser: Browser,
  run: RunView,
  order: RenderOrder,
  random: Random,
): Promise<Rendered> {
  const { crawl, way } = run
  const timeoutMs = crawl.timeoutSeconds * 1_000
  const maxBytes = LOADED_BODIES * crawl.maxBodyBytes
  const proxy = await openPageProxy({ way, random, timeoutMs, maxBytes })
  let context: BrowserContext | undefined
  try {
    context = await browser.newContext({
      proxy: { ...proxy.settings, bypass: '<-loopback>' },
      ...{ userAgent: run.userAgent, acceptDownloads: false, serviceWorkers: 'block' },
    })
    const rendered = await show(context, run, order)
    if (rendered.kind !== 'rendered') return rendered
    return { ...rendered, notes: proxy.notes() }
  } finally {
    proxy.close()
    await closeContext(browser, context)
  }
}

/** A context that cannot be closed goes with its browser; other pages are then shown again. */
async function closeContext(browser: Browser, context: BrowserContext | undefined) {
  if (!context || !browser.isConnected()) return
  const closed = context.close().then(
    () => true,
    () => true,
  )
  const isClosed = await Promise.race([closed, delay(CLOSE_MS, false, { ref: false })])
  if (!isClosed) await browser.close().catch(() => {})
}

async function show(context: BrowserContext, run: RunView, order: RenderOrder): Promise<Rendered> {
  const { cookies, crawl } = run
  const { url, signal } = order
  const over = Promise.withResolvers<Rendered>()
  over.promise.catch(() => {})
  const giveUp = () => over.reject(signal.reason)
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp, { once: true })
  let isParsed = false
  try {
    return await Promise.race([over.promise, work()])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }

  async function work(): Promise<Rendered> {
    await giveCookies(context, cookies)
    const page = await context.newPage()
    page.on('crash', () => over.resolve(CRASHED))
    context.on('page', (popup) => void popup.close().catch(() => {}))
    const session = await context.newCDPSession(page)
    await context.route('**/*', createRouting({ page, context, run, order, move }))
    // What the browser needed until here is not the page's doing.
    const untilMs = performance.now() + crawl.timeoutSeconds * 1_000
    const isReady = await Promise.race([ready(page), within(untilMs).then(() => isParsed)])
    if (!isReady) return crawl.waitFor === null ? HANGING : NOT_FOUND
    const lastMs = Math.max(untilMs, performance.now() + TAKE_MS)
    return Promise.race([take(session), within(lastMs).then(() => HANGING)])
  }

  /** True, or never: the time limit is kept by the caller. */
  async function ready(page: Page): Promise<true> {
    if (crawl.waitFor !== null) {
      await page.goto(url.href, { waitUntil: 'commit', timeout: 0 })
      await page.waitForSelector(`css=${crawl.waitFor}`, { state: 'attached', timeout: 0 })
      return true
    }
    await page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: 0 })
    // What still loads then, at the end of the time, is not missed; half a document would be.
    isParsed = true
    await page.waitForLoadState('load', { timeout: 0 })
    await page.waitForLoadState('networkidle', { timeout: MAX_BUSY_MS }).catch(() => {})
    return true
  }

  async function take(session: CDPSession): Promise<Rendered> {
    const html = await readDocument(session, url, crawl.maxBodyBytes)
    await takeCookies(context, cookies, url)
    return html === null ? TOO_LARGE : { kind: 'rendered', html, notes: [] }
  }

  async function move(to: string) {
    await takeCookies(context, cookies, url)
    over.resolve({ kind: 'moved', to })
  }
}

interface Routing {
  readonly page: Page
  readonly context: BrowserContext
  readonly run: RunView
  readonly order: RenderOrder
  move(to: string): Promise<void>
}

function within(untilMs: number): Promise<void> {
  return delay(untilMs - performance.now(), undefined, { ref: false })
}

/** What happens to each request of a page. What may be reached is not decided here but by the proxy. */
function createRouting({ page, context, run, order, move }: Routing) {
  const { crawl, way } = run
  let isServed = false
  return (route: Route) => answer(route).catch(() => route.abort().catch(() => {}))

  async function answer(route: Route): Promise<void> {
    const request = route.request()
    if (!isOfPage(request)) return route.abort()
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) {
      if (!isServed) return serve(route)
      // What a form sends is no page that could be fetched again.
      if (request.method() === 'GET') await move(request.url())
      return route.abort()
    }
    if (!crawl.loadMedia && MEDIA.has(request.resourceType())) return route.abort()
    const own = run.ownHeaders(new URL(request.url()))
    return Object.keys(own).length > 0 ? fetchOwn(route, own) : route.continue()
  }

  /** False also where the page is not known yet: that of a popup. */
  function isOfPage(request: Request): boolean {
    try {
      return request.frame().page() === page && /^https?:/.test(request.url())
    } catch {
      return false
    }
  }

  function serve(route: Route): Promise<void> {
    isServed = true
    const { status, headers, body } = order
    const shown = SHOWN_HEADERS.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)] as const]
    })
    return route.fulfill({ status, headers: Object.fromEntries(shown), body })
  }

  /**
   * Headers of the definition are sent by ourselves: the browser would send them on to wherever an
   * answer redirects, and they are secrets of the start origins.
   */
  async function fetchOwn(route: Route, own: Readonly<Record<string, string>>): Promise<void> {
    const request = route.request()
    const url = new URL(request.url())
    const known = await context.cookies(url.href)
    const cookie = known.map(({ name, value }) => `${name}=${value}`).join('; ')
    const body = request.postDataBuffer()
    const timeoutMs = crawl.timeoutSeconds * 1_000
    const fetched = await way.use(url.host, (client) =>
      client.send({
        ...{ method: request.method(), url: url.href, signal: order.signal },
        headers: {
          ...request.headers(),
          ...(cookie === '' ? {} : { cookie }),
          'accept-encoding': ACCEPT_ENCODING,
          ...own,
        },
        ...(body ? { body } : {}),
        ...{ timeoutMs, bodyTimeoutMs: 'rest' as const, maxBodyBytes: crawl.maxBodyBytes },
      }),
    )
    if (!fetched.ok || fetched.bodyEnd !== 'complete') return route.abort()
    const coding = fetched.headers['content-encoding']
    return route.fulfill({
      status: fetched.status,
      headers: plainHeaders(fetched.headers),
      body: await unpack(fetched.body, coding && String(coding), crawl.maxBodyBytes),
    })
  }
}

/** Of a body that was read and unpacked. */
function plainHeaders(headers: Headers): Record<string, string> {
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || CODING_HEADERS.has(name)) return []
    // The browser's protocol has no lists; it parts several cookies at line breaks.
    return [[name, Array.isArray(value) ? value.join('\n') : value] as const]
  })
  return Object.fromEntries(kept)
}

/**
 * The document as text, null when it is too large. Read in a world of our own, in which scripts of
 * the page have changed nothing.
 */
async function readDocument(
  session: CDPSession,
  url: URL,
  maxBytes: number,
): Promise<string | null> {
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  })
  const { result } = await session.send('Runtime.callFunctionOn', {
    ...{ functionDeclaration: SERIALISE, executionContextId, returnByValue: true },
    arguments: [{ value: url.href }, { value: maxBytes }],
  })
  const html: unknown = result.value
  return typeof html === 'string' && Buffer.byteLength(html) <= maxBytes ? html : null
}

const CODING_HEADERS = new Set(['content-encoding', 'content-length', 'transfer-encoding'])
const CRASHED: Rendered = {
  ...{ kind: 'failed', code: 'page_crashed' },
  message: 'The page crashed in the browser, or took too much memory',
}
const HANGING: Rendered = {
  ...{ kind: 'failed', code: 'render_timeout' },
  message: 'The page was not there within timeout_seconds; its scripts may have no end',
}
const NOT_FOUND: Rendered = {
  ...{ kind: 'failed', code: 'wait_for' },
  message: 'Nothing matched crawl.wait_for within timeout_seconds',
}
const TOO_LARGE: Rendered = {
  ...{ kind: 'failed', code: 'body_too_large' },
  message: 'The rendered page is larger than max_body_bytes',
}
