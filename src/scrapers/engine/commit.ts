import { createHash } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { Database, Tx } from '#kernel'
import type { Definition } from '../definition/definition.ts'
import { isJsonObject, type Json, valueAt } from '../extract/values.ts'
import type { Change, PublishedEntry, RunCounts } from '../records.ts'
import { findHashes, findOfPage, insertItems, type NewItem } from '../store/items.ts'
import { type ItemNotice, insertLines, type NewLine } from '../store/log.ts'
import {
  addPages,
  endPage,
  endPages,
  endTarget,
  findChildren,
  type NewPage,
  putOff,
} from '../store/pages.ts'
import type { RunStore } from '../store/runs.ts'
import type { ScrapersTables } from '../tables.ts'
import type { FetchFile } from './fetch-file.ts'
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
  readonly value: Json
}

/** What publishing items came to: for each its entry or null, and what the log should say. */
interface Published {
  readonly entries: readonly (PublishedEntry | null)[]
  readonly lines: readonly NewLine[]
}

export interface Publisher {
  /**
   * Reads what it must know before a transaction begins. `publish` then belongs into the transaction
   * of the items; what the content store refuses is told in lines and stops nothing.
   */
  prepare(
    items: readonly CollectedItem[],
    fetchFile: FetchFile,
  ): Promise<{
    publish(tx: Tx): Promise<Published>
    /** After a transaction that failed. */
    discard(): Promise<void>
  }>
}

interface Deps {
  readonly db: Database
  readonly runs: RunStore
  readonly run: {
    readonly id: number
    readonly scraperId: number
    readonly previousId: number | null
  }
  readonly holder: string
  readonly definition: Definition
  readonly publisher: Publisher | null
  readonly fetchFile: FetchFile
}

/** The run was stopped, removed, or is worked on by somebody else: nothing may be written for it. */
export class RunLost extends Error {}

/** Links of one page beyond this are queued before it, in transactions of their own. */
const LINKS_PER_TRANSACTION = 1_000

type Trx = Transaction<ScrapersTables>
type Totals = { -readonly [K in keyof RunCounts]: number }

/**
 * Writes finished pages: items, links, log and counts of each together with its mark, in one
 * transaction for all that are waiting. Whatever stops the process, a page is done with everything
 * it gave or will be fetched again (scrapers contract §3).
 */
export function createCommit({ db, runs, run, holder, definition, publisher, fetchFile }: Deps) {
  const reader: Kysely<ScrapersTables> = db.main.reader
  const isIncremental = definition.crawl.incremental
  return { commit, addLinks }

  /** Answers what was added to the counts. `roomForItems`: how many more items the run may have. */
  async function commit(
    finished: readonly Finished[],
    { activeMs, roomForItems }: { readonly activeMs: number; readonly roomForItems: number },
  ): Promise<RunCounts> {
    const prepared = await Promise.all(finished.map(prepare))
    const early = prepared.flatMap(({ links }) => links.slice(0, -LINKS_PER_TRANSACTION))
    await addLinks(early)
    const collected = prepared.flatMap(({ items }) => items).slice(0, roomForItems)
    const publishing = await publisher?.prepare(collected, fetchFile)
    const committed = db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<ScrapersTables>()
      const totals = emptyTotals()
      const lines: NewLine[] = []
      const links = prepared.flatMap((each) => each.links.slice(-LINKS_PER_TRANSACTION))
      totals.pagesQueued += await addPages(trx, run.id, links)
      for (const each of prepared) await end(trx, each, totals, lines)
      await endPages(
        trx,
        prepared.flatMap(({ plainEnd }) => plainEnd ?? []),
      )
      const published = await publishing?.publish(tx)
      lines.push(...(published?.lines ?? []))
      const notices = await collect(trx, collected, published?.entries ?? [], totals)
      await insertLines(trx, run.id, [...lines, ...notices])
      if (!(await runs.addCounts(trx, run.id, holder, { ...totals, activeMs }))) throw new RunLost()
      return totals
    })
    return committed.catch(async (error) => {
      await publishing?.discard()
      throw error
    })
  }

  /** Queues URLs of which some may be known; repeated after a crash this changes nothing. */
  async function addLinks(links: readonly NewPage[]): Promise<void> {
    for (let at = 0; at < links.length; at += LINKS_PER_TRANSACTION) {
      await db.main.transaction(undefined, async (tx) => {
        const trx = tx.as<ScrapersTables>()
        const pagesQueued = await addPages(trx, run.id, links.slice(at, at + LINKS_PER_TRANSACTION))
        const isOurs = await runs.addCounts(trx, run.id, holder, { pagesQueued, activeMs: 0 })
        if (!isOurs) throw new RunLost()
      })
    }
  }

  /** What needs reading of earlier runs, before the transaction begins. */
  async function prepare(finished: Finished) {
    const { page, outcome } = finished
    if (outcome.kind !== 'done') return { ...finished, links: [], items: [], plainEnd: null }
    const { previousId } = run
    const isKnown = outcome.isUnchanged && previousId !== null
    const links = isKnown
      ? await findChildren(reader, previousId, page.urlHash)
      : outcome.links.map((link) => (isIncremental ? { ...link, parentHash: page.urlHash } : link))
    const items = isKnown ? await carryOver(finished, previousId) : toItems(finished, outcome)
    const isPlain = page.attempts === 0 && !outcome.etag && !outcome.lastModified
    return { ...finished, links, items, plainEnd: isPlain ? page.id : null }
  }

  async function carryOver({ page, fetchedAtMs }: Finished, previousId: number) {
    const before = await findOfPage(reader, previousId, page.urlHash)
    return before.map((item): CollectedItem => {
      const value: Json = JSON.parse(item.data)
      return { ...item, runId: run.id, fetchedAtMs, key: keyOf(value, item.url, 0), value }
    })
  }

  function toItems({ page, fetchedAtMs }: Finished, outcome: Done): CollectedItem[] {
    const { status: statusCode, contentType, extracted } = outcome
    const seen = new Map<string, number>()
    return extracted.items.map(({ url, data: value }) => {
      const nth = seen.get(url) ?? 0
      seen.set(url, nth + 1)
      const key = keyOf(value, url, nth)
      const data = JSON.stringify(value)
      return {
        ...{ runId: run.id, scraperId: run.scraperId, url, statusCode, contentType, fetchedAtMs },
        ...{ depth: page.depth, pageHash: page.urlHash, key, keyHash: hashOf(key), value, data },
        contentHash: `sha256:${createHash('sha256').update(data).digest('hex')}`,
        change: 'new',
      }
    })
  }

  /** `extract.key` of the item, else its URL, else the URL with its number on the page. */
  function keyOf(value: Json, url: string, nth: number): string {
    const { key } = definition.extract
    const own = key === null ? undefined : valueAt(value, key)
    if (typeof own === 'string' || typeof own === 'number') return String(own)
    return nth === 0 ? url : `${url}#${nth + 1}`
  }

  async function end(
    trx: Trx,
    { page, outcome, retryAtMs, fetchedAtMs, items, plainEnd }: Awaited<ReturnType<typeof prepare>>,
    totals: Totals,
    lines: NewLine[],
  ) {
    const line = { atMs: fetchedAtMs, url: page.url, statusCode: outcome.status }
    totals.bytesDownloaded += outcome.bytes
    if (outcome.kind === 'retry' && retryAtMs !== null) {
      totals.retries++
      const { message } = outcome
      lines.push({ ...line, level: 'warn', type: 'retry', message })
      return putOff(trx, page.id, { attempts: page.attempts + 1, dueAtMs: retryAtMs })
    }
    totals.pagesQueued--
    const attempts = page.attempts + 1
    if (outcome.kind === 'done') {
      if (page.kind === 'page') totals.pagesFetched++
      totals.pagesSkipped += outcome.extracted.dropped
      lines.push(...linesOf(line, outcome, items.length))
      const { etag, lastModified } = outcome
      const isMoved = outcome.url.href !== page.url
      if (isMoved) {
        const target = { url: outcome.url.href, urlHash: hashOf(outcome.url.href) }
        const { depth, isStart } = page
        const other = { ...target, depth, isStart, etag, lastModified }
        totals.pagesQueued -= await endTarget(trx, run.id, other)
      }
      if (plainEnd !== null) return undefined
      return endPage(trx, {
        id: page.id,
        state: 'done',
        outcome: null,
        attempts,
        etag,
        lastModified,
      })
    }
    const isSkipped = outcome.kind === 'skipped'
    if (outcome.status !== null && page.kind === 'page') totals.pagesFetched++
    if (isSkipped) totals.pagesSkipped++
    else totals.pagesFailed++
    lines.push({
      ...line,
      ...(isSkipped ? { level: 'info', type: 'skip' } : { level: 'error', type: 'error' }),
      message: outcome.message,
    })
    const state = isSkipped ? 'skipped' : 'failed'
    const none = { etag: null, lastModified: null }
    return endPage(trx, { id: page.id, state, outcome: outcome.code, attempts, ...none })
  }

  async function collect(
    trx: Trx,
    collected: readonly CollectedItem[],
    entries: readonly (PublishedEntry | null)[],
    totals: Totals,
  ): Promise<(ItemNotice & { readonly atMs: number })[]> {
    if (collected.length === 0) return []
    const before = await hashesBefore(trx, collected)
    const items = collected.map((item, index) => {
      return { ...item, change: changeOf(item, before), entry: entries[index] ?? null }
    })
    const ids = await insertItems(trx, items)
    totals.itemsCollected += items.length
    for (const { change } of items) totals[COUNTED[change]]++
    return items.map(({ url, change, value, fetchedAtMs }, index) => ({
      ...{ id: ids[index] ?? 0, url, change, atMs: fetchedAtMs },
      title: titleOf(value),
    }))
  }

  async function hashesBefore(trx: Trx, items: readonly CollectedItem[]) {
    const { previousId } = run
    const found = new Map<string, string>()
    if (previousId === null) return found
    for (let at = 0; at < items.length; at += KEYS_AT_ONCE) {
      const keys = items.slice(at, at + KEYS_AT_ONCE).map(({ keyHash }) => keyHash)
      for (const [key, hash] of await findHashes(trx, previousId, keys)) found.set(key, hash)
    }
    return found
  }
}

export type Commit = ReturnType<typeof createCommit>

const KEYS_AT_ONCE = 500
const COUNTED = {
  new: 'itemsNew',
  changed: 'itemsChanged',
  unchanged: 'itemsUnchanged',
} as const satisfies Record<Change, keyof RunCounts>

function changeOf(item: CollectedItem, before: ReadonlyMap<string, string>): Change {
  const hash = before.get(item.keyHash)
  if (hash === undefined) return 'new'
  return hash === item.contentHash ? 'unchanged' : 'changed'
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

function titleOf(value: Json): string | null {
  const title = isJsonObject(value) ? value['title'] : undefined
  return typeof title === 'string' ? title : null
}

function emptyTotals(): Totals {
  return {
    ...{ itemsCollected: 0, pagesFetched: 0, pagesFailed: 0, pagesSkipped: 0, pagesQueued: 0 },
    ...{ retries: 0, bytesDownloaded: 0 },
    ...{ itemsNew: 0, itemsChanged: 0, itemsUnchanged: 0, itemsMissing: 0 },
  }
}
