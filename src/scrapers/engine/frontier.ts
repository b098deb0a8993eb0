import type { Kysely } from 'kysely'
import { findQueued, type QueuedPage } from '../store/pages.ts'
import type { ScrapersTables } from '../tables.ts'

interface Deps {
  readonly reader: Kysely<ScrapersTables>
  readonly runId: number
  /** How long the host of a page must still be left alone; 0: it may be asked now. */
  waitMs(host: string): number
  now(): number
}

export interface Waiting extends QueuedPage {
  readonly host: string
}

/** What can be done next: a page, nothing for a while, or nothing at all. */
export type Pick =
  | { readonly page: Waiting }
  | { readonly waitMs: number }
  | { readonly isEmpty: true }

const LOADED_AT_ONCE = 500
/** Pages that wait for slow hosts must not hide those of others behind them. */
const MOST_LOADED = 5_000
const MOST_KNOWN = 50_000

/**
 * The queue of a run. It lies in the database; what comes next is held here, in the order in which
 * it was found, passing over pages whose host cannot be asked now.
 */
export function createFrontier({ reader, runId, waitMs, now }: Deps) {
  const waiting = new Map<string, Waiting>()
  /** Being fetched, or fetched and not yet committed. */
  const taken = new Set<string>()
  /** Those among them to which another page leads, with what waits there itself. */
  const reserved = new Map<string, Waiting | null>()
  /** Some of the pages that are stored: links to them need not be stored again. */
  const known = new Set<string>()
  let lastId = 0
  let mayHaveMore = true
  return { pick, putOff, forget, found, reserve, release, isKnown, refill }

  /** Links were committed: there may be more than was loaded. */
  function found() {
    mayHaveMore = true
  }

  /** Loads what is missing; answers whether something came. */
  async function refill(): Promise<boolean> {
    if (!mayHaveMore || waiting.size >= MOST_LOADED) return false
    if (waiting.size >= LOADED_AT_ONCE / 5 && isSomeReady()) return false
    mayHaveMore = false
    const pages = await findQueued(reader, runId, lastId, LOADED_AT_ONCE)
    if (pages.length === LOADED_AT_ONCE) mayHaveMore = true
    if (known.size >= MOST_KNOWN) known.clear()
    for (const page of pages) {
      lastId = page.id
      known.add(page.urlHash)
      const each = { ...page, host: hostOf(page.url) }
      if (reserved.has(page.urlHash)) reserved.set(page.urlHash, each)
      else if (!taken.has(page.urlHash)) waiting.set(page.urlHash, each)
    }
    return pages.length > 0
  }

  function isSomeReady(): boolean {
    for (const page of waiting.values()) if (readyInMs(page) === 0) return true
    return false
  }

  /** Takes the first page that can be fetched now. */
  function pick(): Pick {
    let soonestMs = Number.POSITIVE_INFINITY
    const asked = new Map<string, number>()
    for (const page of waiting.values()) {
      const known = page.dueAtMs === null ? asked.get(page.host) : undefined
      const inMs = known ?? readyInMs(page)
      if (page.dueAtMs === null) asked.set(page.host, inMs)
      if (inMs === 0) {
        waiting.delete(page.urlHash)
        taken.add(page.urlHash)
        return { page }
      }
      soonestMs = Math.min(soonestMs, inMs)
    }
    return waiting.size === 0 && taken.size === 0 && !mayHaveMore
      ? { isEmpty: true }
      : { waitMs: soonestMs }
  }

  function readyInMs({ host, dueAtMs }: Waiting): number {
    return Math.max(waitMs(host), dueAtMs === null ? 0 : dueAtMs - now())
  }

  /** The page comes again, not before the given time. */
  function putOff(page: Waiting, attempts: number, dueAtMs: number) {
    taken.delete(page.urlHash)
    waiting.set(page.urlHash, { ...page, attempts, dueAtMs })
  }

  /** The page was committed as done, or is somebody else's matter. */
  function forget(urlHash: string) {
    taken.delete(urlHash)
    reserved.delete(urlHash)
    waiting.delete(urlHash)
  }

  /** A page under way leads there, and is the only one to ask for it until `release` or `forget`. False: another one does. */
  function reserve(urlHash: string): boolean {
    if (taken.has(urlHash)) return false
    taken.add(urlHash)
    reserved.set(urlHash, waiting.get(urlHash) ?? null)
    waiting.delete(urlHash)
    return true
  }

  /** What led there did not end there; of what is not reserved nothing changes. */
  function release(urlHash: string) {
    const page = reserved.get(urlHash)
    if (page === undefined) return
    reserved.delete(urlHash)
    taken.delete(urlHash)
    if (page) waiting.set(urlHash, page)
  }

  /** Whether the page is stored for sure; false says nothing. */
  function isKnown(urlHash: string): boolean {
    return known.has(urlHash)
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? ''
}
