import type { Kysely, Transaction } from 'kysely'
import type { Database, Tx } from '#kernel'
import { isObject } from '#kernel'
import type { Definition } from '../definition/definition.ts'
import type { Json } from '../extract/values.ts'
import type { Change, PublishedEntry, RunCounts } from '../records.ts'
import { findHashes, insertItems } from '../store/items.ts'
import { type ItemNotice, insertLines, type NewLine } from '../store/log.ts'
import { addPages, endPage, endPages, endTarget, type NewPage, putOff } from '../store/pages.ts'
import type { RunStore } from '../store/runs.ts'
import type { ScrapersTables } from '../tables.ts'
import type { FetchFile } from './fetch-file.ts'
import {
  type CollectedItem,
  createPageWrites,
  type Finished,
  type PageWrites,
} from './page-writes.ts'

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
  /** Runs one transaction when it is the turn of the run's user; files are fetched before. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
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
export function createCommit(deps: Deps) {
  const { db, runs, run, holder, definition, publisher, fetchFile } = deps
  const reader: Kysely<ScrapersTables> = db.main.reader
  const { writesOf } = createPageWrites({ reader, run, definition })
  return { commit, addLinks }

  /** Answers what was added to the counts. `roomForItems`: how many more items the run may have. */
  async function commit(
    finished: readonly Finished[],
    { activeMs, roomForItems }: { readonly activeMs: number; readonly roomForItems: number },
  ): Promise<RunCounts> {
    const writes = await Promise.all(finished.map(writesOf))
    await addLinks(writes.flatMap(({ links }) => links.slice(0, -LINKS_PER_TRANSACTION)))
    const collected = writes.flatMap(({ items }) => items).slice(0, roomForItems)
    const publishing = await publisher?.prepare(collected, fetchFile)
    const committed = deps.inTurn(() =>
      db.main.transaction(undefined, async (tx) => {
        const trx = tx.as<ScrapersTables>()
        const totals = emptyTotals()
        const links = writes.flatMap((each) => each.links.slice(-LINKS_PER_TRANSACTION))
        totals.pagesQueued += await addPages(trx, run.id, links)
        for (const each of writes) {
          add(totals, each.counts)
          totals.pagesQueued -= await carryOut(trx, each)
        }
        await endPages(
          trx,
          writes.flatMap(({ mark }) => (mark.kind === 'plain' ? mark.id : [])),
        )
        const published = await publishing?.publish(tx)
        const lines = [...writes.flatMap((each) => each.lines), ...(published?.lines ?? [])]
        const notices = await collect(trx, collected, published?.entries ?? [], totals)
        await insertLines(trx, run.id, [...lines, ...notices])
        if (!(await runs.addCounts(trx, run.id, holder, { ...totals, activeMs })))
          throw new RunLost()
        return totals
      }),
    )
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

  /** Answers how much shorter the queue became by it. */
  async function carryOut(trx: Trx, { mark, target }: PageWrites): Promise<number> {
    const ended = target === null ? 0 : await endTarget(trx, run.id, target)
    if (mark.kind === 'putOff') await putOff(trx, mark.id, mark)
    if (mark.kind === 'end') await endPage(trx, mark.end)
    return ended
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
const COUNTED_BY_PAGE = [
  ...(['pagesFetched', 'pagesFailed', 'pagesSkipped', 'pagesQueued'] as const),
  ...(['retries', 'bytesDownloaded'] as const),
]
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

function titleOf(value: Json): string | null {
  const title = isObject(value) ? value['title'] : undefined
  return typeof title === 'string' ? title : null
}

function add(totals: Totals, counts: PageWrites['counts']): void {
  for (const name of COUNTED_BY_PAGE) totals[name] += counts[name] ?? 0
}

function emptyTotals(): Totals {
  return {
    ...{ itemsCollected: 0, pagesFetched: 0, pagesFailed: 0, pagesSkipped: 0, pagesQueued: 0 },
    ...{ retries: 0, bytesDownloaded: 0 },
    ...{ itemsNew: 0, itemsChanged: 0, itemsUnchanged: 0, itemsMissing: 0 },
  }
}
