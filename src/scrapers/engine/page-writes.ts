import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Definition } from '../definition/definition.ts'
import { type Json, valueAt } from '../extract/values.ts'
import type { RunCounts } from '../records.ts'
import { findOfPage, type NewItem } from '../store/items.ts'
import type { NewLine } from '../store/log.ts'
import {
  findKept,
  findUrls,
  GONE,
  type KeptPage,
  type NewPage,
  PARTIAL,
  type PageEnd,
} from '../store/pages.ts'
import type { ScrapersTables } from '../tables.ts'
import type { Done, Outcome } from './fetch-page.ts'
import type { Waiting } from './frontier.ts'
import { hashOf } from './urls.ts'

/** What a page came to; `retryAtMs` where it comes again. */
export interface Finished {
  readonly page: Waiting
  readonly outcome: Exclude<Outcome, { kind: 'aborted' }>
  readonly retryAtMs: number | null
  readonly fetchedAtMs: number
}

/** An item on its way to the store, with what may be published of it. */
export interface CollectedItem extends Omit<NewItem, 'entry'> {
  readonly key: string
  /** The URL, with its number where several items have it. */
  readonly urlKey: string
  readonly value: Json
}

/** Everything that one page writes, decided before the transaction begins. */
export interface PageWrites {
  readonly mark: PageMark
  /** Where a redirect led: that URL counts as fetched too. */
  readonly target: NewPage | null
  readonly links: readonly NewPage[]
  readonly items: readonly CollectedItem[]
  readonly lines: readonly NewLine[]
  /** Items are not counted here: the limit of the run may leave some out. */
  readonly counts: Partial<Omit<RunCounts, `items${string}`>>
}

/** How the page stands in the frontier afterwards. */
type PageMark =
  | {
      readonly kind: 'putOff'
      readonly id: number
      readonly attempts: number
      readonly dueAtMs: number
    }
  /** Done without anything to remember; many such pages are marked together. */
  | { readonly kind: 'plain'; readonly id: number }
  | { readonly kind: 'end'; readonly end: PageEnd }

interface Deps {
  readonly reader: Kysely<ScrapersTables>
  readonly run: {
    readonly id: number
    readonly scraperId: number
    readonly previousId: number | null
  }
  readonly definition: Definition
}

/** Decides what finished pages write, reading what earlier runs know of them. */
export function createPageWrites({ reader, run, definition }: Deps) {
  const isIncremental = definition.crawl.incremental
  return { writesOf }

  async function writesOf(finished: Finished): Promise<PageWrites> {
    const { outcome } = finished
    if (outcome.kind === 'done') return doneWrites(finished, outcome)
    return undoneWrites(finished, outcome)
  }

  function undoneWrites(
    { page, retryAtMs, fetchedAtMs }: Finished,
    outcome: Exclude<Finished['outcome'], Done>,
  ): PageWrites {
    const { status, bytes: bytesDownloaded, message } = outcome
    const line = { atMs: fetchedAtMs, url: page.url, statusCode: status, message }
    const attempts = page.attempts + 1
    const nothing = { target: null, links: [], items: [] }
    if (outcome.kind === 'retry' && retryAtMs !== null) {
      return {
        ...nothing,
        mark: { kind: 'putOff', id: page.id, attempts, dueAtMs: retryAtMs },
        lines: [{ ...line, level: 'warn', type: 'retry' }],
        counts: { bytesDownloaded, retries: 1 },
      }
    }
    const isSkipped = outcome.kind === 'skipped'
    const state = isSkipped ? 'skipped' : 'failed'
    return {
      ...nothing,
      mark: {
        kind: 'end',
        end: {
          id: page.id,
          state,
          outcome: isGone(status) ? GONE : outcome.code,
          attempts,
          kept: null,
        },
      },
      lines: [
        isSkipped
          ? { ...line, level: 'info', type: 'skip' }
          : { ...line, level: 'error', type: 'error' },
      ],
      counts: {
        ...{ bytesDownloaded, pagesQueued: -1 },
        pagesFetched: status !== null && page.kind === 'page' ? 1 : 0,
        ...(isSkipped ? { pagesSkipped: 1 } : { pagesFailed: 1 }),
      },
    }
  }

  async function doneWrites(finished: Finished, outcome: Done): Promise<PageWrites> {
    const { page, fetchedAtMs } = finished
    const { url, status, extracted } = outcome
    const items = await itemsOf(finished, outcome)
    const { links, kept } = await linksOf(page, outcome)
    const line = { atMs: fetchedAtMs, url: page.url, statusCode: status }
    const { id, depth, isStart, attempts } = page
    const read = extracted.isPartial ? PARTIAL : null
    const isPlain = attempts === 0 && kept === null && read === null
    const end = { state: 'done', outcome: read, attempts: attempts + 1, kept } as const
    const target = { url: url.href, urlHash: hashOf(url.href), depth, isStart }
    return {
      items,
      mark: isPlain ? { kind: 'plain', id } : { kind: 'end', end: { id, ...end } },
      target: url.href === page.url ? null : target,
      links,
      lines: linesOf(line, outcome, items.length),
      counts: {
        ...{ bytesDownloaded: outcome.bytes, pagesQueued: -1, pagesSkipped: extracted.dropped },
        pagesFetched: page.kind === 'page' ? 1 : 0,
      },
    }
  }

  /** A page that has not changed still has the links it had. */
  async function linksOf(
    page: Waiting,
    { isUnchanged, links, url, etag, lastModified, extracted }: Done,
  ): Promise<{ readonly links: readonly NewPage[]; readonly kept: KeptPage | null }> {
    const { previousId } = run
    if (isUnchanged && previousId !== null) {
      const before = await findKept(reader, previousId, page)
      if (!before) return { links: [], kept: null }
      const found = await findUrls(reader, previousId, before.links)
      const kept = { ...before, etag: etag ?? before.etag }
      return {
        links: isLast(page) ? [] : found.map((each) => ({ ...each, depth: page.depth + 1 })),
        kept,
      }
    }
    // What a redirect led to was answered for another URL; what was read in part is read again.
    const isOwn = page.kind === 'page' && url.href === page.url && !extracted.isPartial
    const isAskedAgain = isIncremental && isOwn && (etag ?? lastModified) !== null
    if (!isAskedAgain) return { links, kept: null }
    return { links, kept: { etag, lastModified, links: links.map(({ urlHash }) => urlHash) } }
  }

  function isLast({ depth }: Waiting): boolean {
    return depth >= definition.crawl.maxDepth
  }

  async function itemsOf(finished: Finished, outcome: Done): Promise<CollectedItem[]> {
    const { previousId } = run
    const isKnown = outcome.isUnchanged && previousId !== null
    return isKnown ? carryOver(finished, previousId) : toItems(finished, outcome)
  }

  async function carryOver({ page, fetchedAtMs }: Finished, previousId: number) {
    const before = await findOfPage(reader, previousId, page.urlHash)
    const keysOf = createKeys()
    return before.map((item): CollectedItem => {
      const value: Json = JSON.parse(item.data)
      return { ...item, runId: run.id, fetchedAtMs, ...keysOf(item.url, value), value }
    })
  }

  function toItems({ page, fetchedAtMs }: Finished, outcome: Done): CollectedItem[] {
    const { status: statusCode, contentType, extracted } = outcome
    const keysOf = createKeys()
    return extracted.items.map(({ url, data: value }) => {
      const keys = keysOf(url, value)
      const data = JSON.stringify(value)
      return {
        ...{ runId: run.id, scraperId: run.scraperId, url, statusCode, contentType, fetchedAtMs },
        ...{ depth: page.depth, pageHash: page.urlHash, value, data },
        ...{ ...keys, keyHash: hashOf(keys.key) },
        contentHash: `sha256:${createHash('sha256').update(data).digest('hex')}`,
        change: 'new',
      }
    })
  }

  /** `extract.key` of an item, else its URL, else the URL with its number on the page. */
  function createKeys() {
    const seen = new Map<string, number>()
    const { key: name } = definition.extract
    return (url: string, value: Json) => {
      const nth = (seen.get(url) ?? 0) + 1
      seen.set(url, nth)
      const urlKey = nth === 1 ? url : `${url}#${nth}`
      const own = name === null ? undefined : valueAt(value, name)
      const isKey = typeof own === 'string' || typeof own === 'number'
      return { urlKey, key: isKey ? String(own) : urlKey }
    }
  }
}

/** The site says that there is no such page: nothing was missed there. */
function isGone(status: number | null): boolean {
  return status === 404 || status === 410
}

function linesOf(
  line: Pick<NewLine, 'atMs' | 'url' | 'statusCode'>,
  { extracted, isUnchanged }: Done,
  items: number,
): NewLine[] {
  const message = isUnchanged
    ? 'Not changed since the last run'
    : `Fetched, ${items} ${items === 1 ? 'item' : 'items'}`
  const notes = extracted.notes.map((note) => {
    return { ...line, level: 'warn', type: 'page', message: note } as const
  })
  return [{ ...line, level: 'info', type: 'page', message }, ...notes]
}
