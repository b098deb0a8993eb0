import { setTimeout as delay } from 'node:timers/promises'
import { retryAfterMs } from '#http'

interface Host {
  active: number
  /** Before this moment no further request begins. */
  readyAtMs: number
  gapMs: number
  /** Refusals in a row (429, 503), for pauses that grow. */
  refusals: number
  /** The end of the pause that they asked for. */
  pausedUntilMs: number
  /** Ends when the request of whoever asked last for a turn has gone out. */
  lastTurn: Promise<void>
}

interface Deps {
  /** `crawl.delay_ms` */
  readonly delayMs: number
  now(): number
  /** For dates of `Retry-After`. */
  wallClock(): number
}

const PAUSING: ReadonlySet<number> = new Set([429, 503])

const MAX_PER_HOST = 6
const MAX_RETRY_AFTER_MS = 300_000
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 60_000

/** How politely each host of a run is asked (scrapers contract §4). */
export function createHosts({ delayMs, now, wallClock }: Deps) {
  const hosts = new Map<string, Host>()
  return { waitMs, turn, enter, leave, setCrawlDelay, pauseAfter }

  /** 0: a request may begin now; infinite: not before another one of the host has ended. */
  function waitMs(name: string): number {
    const host = hosts.get(name)
    if (!host) return 0
    if (host.active >= limitOf(host)) return Number.POSITIVE_INFINITY
    return Math.max(0, host.readyAtMs - now())
  }

  /**
   * Resolves when a request may begin, which has its slot of the rate then. Where there are gaps the requests come one
   * after the other: files and redirects are asked for beside the pages. What is returned is called when the request
   * goes out, or is over: what held it up until then must not bring the next one close to it.
   */
  async function turn(name: string, signal: AbortSignal, takeSlot: () => Promise<void>) {
    const host = get(name)
    if (host.gapMs === 0) {
      await take(host, signal, takeSlot)
      return () => {}
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = host.lastTurn
    host.lastTurn = promise
    try {
      await before
      await take(host, signal, takeSlot)
    } catch (error) {
      resolve()
      throw error
    }
    let isOut = false
    return () => {
      if (isOut) return
      isOut = true
      keepGap(host)
      resolve()
    }
  }

  async function take(host: Host, signal: AbortSignal, takeSlot: () => Promise<void>) {
    for (;;) {
      signal.throwIfAborted()
      const leftMs = host.readyAtMs - now()
      if (leftMs <= 0) break
      await delay(leftMs, undefined, { signal })
    }
    await takeSlot()
    keepGap(host)
  }

  function keepGap(host: Host) {
    host.readyAtMs = Math.max(host.readyAtMs, now() + host.gapMs)
  }

  /** From here on a page of the host is under way. */
  function enter(name: string) {
    get(name).active++
  }

  function leave(name: string) {
    get(name).active--
  }

  /** A minimum gap, beside the one of the definition. */
  function setCrawlDelay(name: string, ms: number) {
    const host = get(name)
    host.gapMs = Math.max(delayMs, ms)
    keepGap(host)
  }

  /**
   * Waits where an answer asks for it, whatever it is the answer to; tells how long. What comes in a pause was asked
   * before it: requests that were under way together are refused once.
   */
  function pauseAfter(name: string, { status, headers }: Answered): number {
    const host = get(name)
    const isInPause = now() < host.pausedUntilMs
    if (status < 500 && status !== 429 && !isInPause) host.refusals = 0
    if (!PAUSING.has(status)) return 0
    if (!isInPause) host.refusals++
    const growing = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (host.refusals - 1))
    const askedMs = retryAfterMs(headers['retry-after'], wallClock())
    const pauseMs = askedMs === null ? growing : Math.min(MAX_RETRY_AFTER_MS, askedMs)
    host.pausedUntilMs = Math.max(host.pausedUntilMs, now() + pauseMs)
    host.readyAtMs = Math.max(host.readyAtMs, host.pausedUntilMs)
    return pauseMs
  }

  function get(name: string): Host {
    const known = hosts.get(name)
    if (known) return known
    const fresh = { active: 0, readyAtMs: 0, refusals: 0, pausedUntilMs: 0 }
    const host: Host = { ...fresh, gapMs: delayMs, lastTurn: Promise.resolve() }
    hosts.set(name, host)
    return host
  }

  /** With a gap between its requests a host has one at a time. */
  function limitOf({ gapMs }: Host): number {
    return gapMs > 0 ? 1 : MAX_PER_HOST
  }
}

interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export type Hosts = ReturnType<typeof createHosts>
