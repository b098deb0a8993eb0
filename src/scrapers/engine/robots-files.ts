import { setTimeout as delay } from 'node:timers/promises'
import { redirectLocation } from '#http-text'
import { createLru, type Random } from '#kernel'
import { unpackStart } from './decode.ts'
import type { Hosts } from './hosts.ts'
import { type Answer, type Requests, textOf } from './requests.ts'
import { isPassingStatus, retryPauseMs } from './retries.ts'
import { ALLOW_ALL, DISALLOW_ALL, parseRobots, type Robots } from './robots.ts'

interface Deps {
  readonly requests: Pick<Requests, 'send'>
  /** False: everything is allowed, and no file is asked for. */
  readonly isRespected: boolean
  readonly signal: AbortSignal
  now(): number
  readonly hosts: Pick<Hosts, 'setCrawlDelay' | 'pauseAfter'>
  readonly random: Random
  /** `crawl.max_retries` */
  readonly maxRetries: number
}

/** Nobody answered: what is allowed there is not known, so nothing is (RFC 9309 §2.3.1.4). */
export interface Unreachable {
  readonly failure: Extract<Answer, { ok: false }>
}

/** A server that is busy forbids all of its pages, but perhaps not for long. */
interface Busy extends Robots {
  readonly pauseMs: number
}

interface Known {
  readonly robots: Promise<Robots | Unreachable>
  readonly untilMs: number
}

const KEPT_MS = 24 * 3_600_000
const MAX_REDIRECTS = 5
const MAX_BYTES = 512 * 1024
const MOST_KNOWN = 10_000
/** All pages of the host wait as long, and keep others waiting. */
const LONGEST_WAIT_MS = 60_000

/** The robots.txt of each origin of a run, fetched once a day (RFC 9309 §2.3, §2.4). */
export function createRobotsFiles(deps: Deps) {
  const { requests, isRespected, signal, now, hosts, random, maxRetries } = deps
  const known = createLru<string, Known>(MOST_KNOWN)
  /** Of hosts with a gap, by origin. */
  const delays = new Map<string, Map<string, number>>()
  return { of, sitemapsOf }

  function of(url: URL): Promise<Robots | Unreachable> {
    if (!isRespected) return Promise.resolve(ALLOW_ALL)
    const before = known.find(url.origin)
    if (before && before.untilMs > now()) return before.robots
    const robots = load(url)
    // What failed is asked again with the next page; whoever waits for it now shares the failure.
    robots.then(
      (found) => 'failure' in found && forget(url.origin, robots),
      () => forget(url.origin, robots),
    )
    known.keep(url.origin, { robots, untilMs: now() + KEPT_MS })
    return robots
  }

  /** What the file says of sitemaps is no rule, and counts where rules do not. Undefined: nobody answered. */
  async function sitemapsOf(url: URL): Promise<readonly string[] | undefined> {
    const robots = isRespected ? await of(url) : await fetchPatiently(new URL('/robots.txt', url))
    return 'failure' in robots ? undefined : robots.sitemaps
  }

  /** Unless a newer one has taken its place. */
  function forget(origin: string, robots: Known['robots']) {
    if (known.find(origin)?.robots === robots) known.drop(origin)
  }

  async function load({ origin, host }: URL): Promise<Robots | Unreachable> {
    const robots = await fetchPatiently(new URL('/robots.txt', origin))
    if ('crawlDelayMs' in robots) keepDelay(origin, host, robots.crawlDelayMs)
    return robots
  }

  /** A host is asked by both of its schemes, and each has a file of its own. */
  function keepDelay(origin: string, host: string, ms: number) {
    const before = delays.get(host) ?? new Map<string, number>()
    if (ms === 0 && !before.has(origin)) return
    delays.set(host, before.set(origin, ms))
    hosts.setCrawlDelay(host, Math.max(...before.values()))
  }

  /** What is read here is kept for a day. */
  async function fetchPatiently(url: URL): Promise<Robots | Unreachable> {
    for (let failures = 1; ; failures++) {
      const robots = await fetchFile(url)
      const isBusy = 'pauseMs' in robots && robots.pauseMs <= LONGEST_WAIT_MS
      if (!isBusy || failures > maxRetries) return robots
      await delay(retryPauseMs(failures, random), undefined, { signal })
    }
  }

  /** 4xx allows all, 5xx nothing; redirects are followed to other hosts too. */
  async function fetchFile(first: URL): Promise<Robots | Busy | Unreachable> {
    let url = first
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const answer = await requests.send({ url, maxBodyBytes: MAX_BYTES, signal })
      signal.throwIfAborted()
      if (!answer.ok) return { failure: answer }
      const { status, headers, body } = answer
      const pauseMs = hosts.pauseAfter(url.host, answer)
      const location = redirectLocation(answer.status, answer.headers)
      if (location !== null) {
        const next = URL.parse(location, url)
        if (!next) return ALLOW_ALL
        url = next
        continue
      }
      if (status >= 500)
        return isPassingStatus(status) ? { ...DISALLOW_ALL, pauseMs } : DISALLOW_ALL
      if (status >= 300) return ALLOW_ALL
      if (answer.bodyEnd === 'connection' || answer.bodyEnd === 'time') return cutOff(answer)
      return parseRobots(await unpackStart(body, textOf(headers['content-encoding']), MAX_BYTES))
    }
    // RFC 9309 §2.3.1.2: more than five redirects may be taken as a file that is not there.
    return ALLOW_ALL
  }
}

/** Of half a file nobody knows what the other half forbids. */
function cutOff({ url, durationMs }: Extract<Answer, { ok: true }>): Unreachable {
  const message = 'robots.txt was cut off'
  const failure = { ok: false, code: 'connection_reset', message, isOfProxy: false } as const
  return { failure: { ...failure, url, redirects: [], durationMs } }
}

export type RobotsFiles = ReturnType<typeof createRobotsFiles>
