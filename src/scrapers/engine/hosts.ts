import { setTimeout as delay } from 'node:timers/promises'

interface Host {
  active: number
  /** Before this moment no further request begins. */
  readyAtMs: number
  gapMs: number
  /** Refusals in a row (429, 503), for pauses that grow. */
  refusals: number
}

interface Deps {
  /** `crawl.delay_ms` */
  readonly delayMs: number
  now(): number
}

const MAX_PER_HOST = 6
const MAX_RETRY_AFTER_MS = 300_000
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 60_000

/** How politely each host of a run is asked (scrapers contract §4). */
export function createHosts({ delayMs, now }: Deps) {
  const hosts = new Map<string, Host>()
  return { waitMs, turn, enter, began, leave, setCrawlDelay, pause, relax }

  /** 0: a request may begin now; infinite: not before another one of the host has ended. */
  function waitMs(name: string): number {
    const host = hosts.get(name)
    if (!host) return 0
    if (host.active >= limitOf(host)) return Number.POSITIVE_INFINITY
    return Math.max(0, host.readyAtMs - now())
  }

  /** Resolves when the gap since the last request of the host is over. */
  async function turn(name: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const leftMs = (hosts.get(name)?.readyAtMs ?? 0) - now()
      if (leftMs <= 0) return
      await delay(leftMs, undefined, { signal })
    }
  }

  /** From here on a page of the host is under way. */
  function enter(name: string) {
    get(name).active++
  }

  function began(name: string) {
    const host = get(name)
    host.readyAtMs = Math.max(host.readyAtMs, now() + host.gapMs)
  }

  function leave(name: string) {
    get(name).active--
  }

  /** A minimum gap, beside the one of the definition. */
  function setCrawlDelay(name: string, ms: number) {
    const host = get(name)
    host.gapMs = Math.max(delayMs, ms)
    host.readyAtMs = Math.max(host.readyAtMs, now() + host.gapMs)
  }

  /** The host asked us to wait; answers how long. */
  function pause(name: string, retryAfterMs: number | null): number {
    const host = get(name)
    const growing = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** host.refusals)
    host.refusals++
    const pauseMs = retryAfterMs === null ? growing : Math.min(MAX_RETRY_AFTER_MS, retryAfterMs)
    host.readyAtMs = Math.max(host.readyAtMs, now() + pauseMs)
    return pauseMs
  }

  function relax(name: string) {
    get(name).refusals = 0
  }

  function get(name: string): Host {
    const known = hosts.get(name)
    if (known) return known
    const host: Host = { active: 0, readyAtMs: 0, gapMs: delayMs, refusals: 0 }
    hosts.set(name, host)
    return host
  }

  /** With a gap between its requests a host has one at a time. */
  function limitOf({ gapMs }: Host): number {
    return gapMs > 0 ? 1 : MAX_PER_HOST
  }
}

export type Hosts = ReturnType<typeof createHosts>

/** Seconds or a date (RFC 9110 §10.2.3); null when there is none that is understood. */
export function parseRetryAfter(value: unknown, nowMs: number): number | null {
  if (typeof value !== 'string') return null
  if (/^\d+$/.test(value.trim())) return Number(value) * 1_000
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}
