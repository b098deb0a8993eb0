// The thread of one preview: fetches a page by a definition, reads it and tells what it found.
import { parentPort, workerData } from 'node:worker_threads'
import { createAddressRule, createOutbound } from '#http'
import { random } from '#kernel'
import { createRenderer } from '../browser/renderer.ts'
import { readDefinition } from '../definition/definition.ts'
import { createCookies } from '../engine/cookies.ts'
import { createPageFetcher, type Outcome } from '../engine/fetch-page.ts'
import { createHosts } from '../engine/hosts.ts'
import { createPace } from '../engine/pace.ts'
import { createProxies, directWay, type Way } from '../engine/proxies.ts'
import { createRequests } from '../engine/requests.ts'
import { createRobotsFiles } from '../engine/robots-files.ts'
import { createUrls, hashOf } from '../engine/urls.ts'
import type { PreviewOrder } from './preview.ts'

const MAX_LINKS = 1_000
const SILENT = { info: () => {}, warn: () => {} }

const order: PreviewOrder = workerData
const { definition } = readDefinition(order.definition)
const { crawl, headers } = definition
const now = () => performance.now()
const { signal } = new AbortController()
const urls = createUrls(crawl)
const start = urls.identify(definition.url) ?? new URL(definition.url)
const starts = [start, ...definition.startUrls.flatMap((url) => urls.identify(url) ?? [])]
const isInScope = urls.createScope(starts)
const hosts = createHosts({ delayMs: 0, now, wallClock: Date.now })
const cookies = createCookies(Date.now)
const way = openWay(order)
const requests = createRequests({
  ...{ crawl, headers, hosts, cookies, way, userAgent: order.userAgent },
  pace: createPace({ rate: definition.rateLimit, notBeforeMs: 0, now }),
  trustedOrigins: new Set(starts.map(({ origin }) => origin)),
})
const renderer = createRenderer({
  ...{ log: SILENT, random, chromium: order.chromium, mostPages: () => 1 },
})
const fetchPage = createPageFetcher({
  ...{ definition, urls, requests, hosts, signal, isInScope },
  render:
    crawl.render === 'browser'
      ? renderer.forRun({
          ...{ crawl, cookies, way, userAgent: order.userAgent, ownHeaders: requests.ownHeaders },
        })
      : null,
  robots: createRobotsFiles({
    ...{ requests, signal, now, random, isRespected: crawl.robots === 'respect' },
    // Who looks at one page does not wait.
    maxRetries: 0,
    hosts: { setCrawlDelay: () => {}, pauseAfter: () => 0 },
  }),
  isKnown: () => false,
  reserve: async () => true,
  validatorsOf: async () => undefined,
  takeTurn: async () => {},
})

const startedMs = now()
const outcome = await fetchPage({
  ...{ id: 0, url: start.href, urlHash: hashOf(start.href), host: start.host },
  ...{ depth: 0, isStart: true, kind: 'page', attempts: 0, dueAtMs: null },
})
await renderer.stop()
parentPort?.postMessage({ ...render(outcome), duration_ms: Math.round(now() - startedMs) })

/** As a run would ask: through the proxies of its pool and never past them. */
function openWay({ pool, ...addresses }: PreviewOrder): Way {
  const rule = createAddressRule(addresses)
  if (pool === null) return directWay(createOutbound({ rule, log: SILENT }))
  return createProxies({
    ...{ random, now, strategy: pool.strategy, addresses: pool.proxies },
    open: (proxyUrl) => createOutbound({ rule, log: SILENT, proxyUrl }),
  })
}

/** Those that a run would ask for: not the page itself again. */
function urlsOf(links: readonly { readonly url: string }[], { href }: URL): string[] {
  const others = links.filter(({ url }) => url !== href && url !== start.href)
  return others.slice(0, MAX_LINKS).map(({ url }) => url)
}

function render(outcome: Outcome): Record<string, unknown> {
  const nothing = { items: [], links: [], notes: [] }
  if (outcome.kind === 'aborted') return { url: start.href, ...nothing }
  const { status } = outcome
  if (outcome.kind !== 'done') {
    const error = { code: outcome.code, message: outcome.message }
    return { url: start.href, status_code: status, content_type: null, ...nothing, error }
  }
  const { url, contentType, extracted, links } = outcome
  return {
    url: url.href,
    status_code: status,
    content_type: contentType,
    items: extracted.items,
    links: urlsOf(links, url),
    notes: extracted.notes,
    error: null,
  }
}
