import type { Kysely } from 'kysely'
import type { Database, WriteStep } from '#db'
import { isObject } from '#kernel'
import type { Definition } from '../definition/definition.ts'
import type { Json } from '../extract/values.ts'
import type { Change, PublishedEntry, RunCounts } from '../records.ts'
import { findHashes, itemSteps } from '../store/items.ts'
import { lineSteps, type NewLine, type NewNotice } from '../store/log.ts'
import {
  addedStep,
  endAllSteps,
  endStep,
  findStates,
  type NewPage,
  type PageState,
  putOffStep,
  queueSteps,
  reachedStep,
} from '../store/pages.ts'
import type { RunStore } from '../store/runs.ts'
import type { ScrapersTables } from '../tables.ts'
import type { FileSource } from './fetch-file.ts'
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

/** What publishing leaves to the run. */
export interface PublishingRun {
  /** What else belongs into the transaction of the entries. */
  stepsWith(published: Published): readonly WriteStep[]
  /** Carries out a transaction of several exchanges, in which all other writers wait for this thread. */
  undisturbed<Result>(work: () => Promise<Result>): Promise<Result>
}

export interface Publisher {
  /**
   * Reads what it must know before it writes. `publish` then writes entries and items together; what the content
   * store refuses is told in lines and stops nothing.
   */
  prepare(
    items: readonly CollectedItem[],
    files: FileSource,
  ): Promise<{
    /** Throws `RunLost`, and writes nothing, when the run is somebody else's. */
    publish(run: PublishingRun): Promise<void>
    /** When nothing was written. */
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
  readonly files: FileSource
  /** Throws once somebody else goes on with the run: what could not be fetched here is theirs to fetch. */
  throwIfLeft(): void
  /** Runs one transaction when it is the turn of the run's user; files are fetched before. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
  readonly undisturbed: PublishingRun['undisturbed']
}

/** The run was stopped, removed, or is worked on by somebody else: nothing may be written for it. */
export class RunLost extends Error {}

/** Links of one page beyond this are queued before it, in transactions of their own. */
const LINKS_PER_TRANSACTION = 1_000

type Totals = { -readonly [K in keyof RunCounts]: number }

/** What a batch of pages writes, but for its items: those may name entries that are published with them. */
interface Prepared {
  readonly steps: readonly WriteStep[]
  readonly lines: readonly NewLine[]
  readonly items: readonly CollectedItem[]
  readonly totals: RunCounts
}

/**
 * Writes finished pages: items, links, log and counts of each together with its mark, in one
 * transaction for all that are waiting. Whatever stops the process, a page is done with everything
 * it gave or will be fetched again (scrapers contract §3). Everything is decided before the
 * transaction begins: who holds the run is the only one who writes its pages and items.
 */
export function createCommit(deps: Deps) {
  const { db, runs, run, holder, definition, publisher, files } = deps
  const reader: Kysely<ScrapersTables> = db.main.reader
  const writer: Kysely<ScrapersTables> = db.main.writer
  const { writesOf } = createPageWrites({ reader, run, definition })
  return { commit, addLinks }

  /** Answers what was added to the counts. `roomForItems`: how many more items the run may have. */
  async function commit(
    finished: readonly Finished[],
    { activeMs, roomForItems }: { readonly activeMs: number; readonly roomForItems: number },
  ): Promise<RunCounts> {
    const writes = limited(await Promise.all(finished.map(writesOf)), roomForItems)
    await addLinks(writes.flatMap(({ links }) => links.slice(0, -LINKS_PER_TRANSACTION)))
    const prepared = await prepare(writes)
    const count = runs.countStep(writer, run.id, holder, { ...prepared.totals, activeMs })
    if (publisher) await publishAndWrite(publisher, prepared, count)
    else await deps.inTurn(() => write([count, ...stepsOf(prepared, NOTHING)]))
    return prepared.totals
  }

  async function publishAndWrite(own: Publisher, prepared: Prepared, count: WriteStep) {
    const publishing = await own.prepare(prepared.items, files)
    try {
      deps.throwIfLeft()
      const stepsWith = (published: Published) => [count, ...stepsOf(prepared, published)]
      await deps.inTurn(() => publishing.publish({ stepsWith, undisturbed: deps.undisturbed }))
    } catch (error) {
      await publishing.discard()
      throw error
    }
  }

  /** Queues URLs of which some may be known; repeated after a crash this changes nothing. */
  async function addLinks(links: readonly NewPage[]): Promise<void> {
    for (let at = 0; at < links.length; at += LINKS_PER_TRANSACTION) {
      const some = links.slice(at, at + LINKS_PER_TRANSACTION)
      const fresh = newAmong(some, await statesOf(some))
      const counts = { pagesQueued: fresh.length, activeMs: 0 }
      const count = runs.countStep(writer, run.id, holder, counts)
      await write([count, ...queueSteps(writer, run.id, fresh)])
    }
  }

  /** Counting says whether the run is still ours. */
  async function write(steps: readonly WriteStep[]): Promise<void> {
    if (!(await db.main.carryOut(steps))) throw new RunLost()
  }

  async function prepare(writes: readonly PageWrites[]): Promise<Prepared> {
    const links = writes.flatMap((each) => each.links.slice(-LINKS_PER_TRANSACTION))
    const targets = writes.flatMap(({ target }) => target ?? [])
    const states = await statesOf([...links, ...targets])
    const fresh = newAmong(links, states)
    for (const { urlHash } of fresh) states.set(urlHash, 'queued')
    const reached = reach(targets, states)
    const items = await compare(writes.flatMap((each) => each.items))
    const totals = emptyTotals()
    for (const { counts } of writes) add(totals, counts)
    totals.pagesQueued += fresh.length - reached.ended
    totals.itemsCollected += items.length
    for (const { change } of items) totals[COUNTED[change]]++
    const plain = writes.flatMap(({ mark }) => (mark.kind === 'plain' ? mark.id : []))
    return {
      ...{ items, totals, lines: writes.flatMap(({ lines }) => lines) },
      steps: [
        ...queueSteps(writer, run.id, fresh),
        ...reached.steps,
        ...writes.flatMap(({ mark }) => markSteps(mark)),
        ...endAllSteps(writer, plain),
      ],
    }
  }

  function statesOf(pages: readonly NewPage[]): Promise<Map<string, PageState>> {
    const hashes = new Set(pages.map(({ urlHash }) => urlHash))
    return findStates(reader, run.id, [...hashes])
  }

  /** Marks where redirects led; `ended` of these waited in the queue. */
  function reach(targets: readonly NewPage[], states: Map<string, PageState>) {
    const steps: WriteStep[] = []
    let ended = 0
    for (const target of targets) {
      const known = states.get(target.urlHash)
      states.set(target.urlHash, 'done')
      if (known === 'queued') ended++
      if (known === 'queued') steps.push(reachedStep(writer, run.id, target))
      if (known === undefined) steps.push(addedStep(writer, run.id, target))
    }
    return { steps, ended }
  }

  function markSteps(mark: PageWrites['mark']): WriteStep[] {
    if (mark.kind === 'putOff') return [putOffStep(writer, mark.id, mark)]
    return mark.kind === 'end' ? [endStep(writer, mark.end)] : []
  }

  /** Says of each what it is to the run before. */
  async function compare(items: readonly CollectedItem[]): Promise<CollectedItem[]> {
    const { previousId } = run
    const before = new Map<string, ReadonlySet<string>>()
    for (let at = 0; previousId !== null && at < items.length; at += KEYS_AT_ONCE) {
      const keys = items.slice(at, at + KEYS_AT_ONCE).map(({ keyHash }) => keyHash)
      for (const [key, hashes] of await findHashes(reader, previousId, keys))
        before.set(key, hashes)
    }
    return items.map((item) => ({ ...item, change: changeOf(item, before) }))
  }

  function stepsOf({ steps, lines, items }: Prepared, published: Published): WriteStep[] {
    const stored = items.map((item, index) => {
      return { ...item, entry: published.entries[index] ?? null }
    })
    const told = [...lines, ...published.lines, ...noticesOf(items)]
    return [...steps, ...itemSteps(writer, stored), ...lineSteps(writer, run.id, told)]
  }
}

export type Commit = ReturnType<typeof createCommit>

const KEYS_AT_ONCE = 500
const NOTHING: Published = { entries: [], lines: [] }
const COUNTED_BY_PAGE = [
  ...(['pagesFetched', 'pagesFailed', 'pagesSkipped', 'pagesQueued'] as const),
  ...(['retries', 'bytesDownloaded'] as const),
]
const COUNTED = {
  new: 'itemsNew',
  changed: 'itemsChanged',
  unchanged: 'itemsUnchanged',
} as const satisfies Record<Change, keyof RunCounts>

/** As many items as there is room for. A page that had more is not asked whether it changed: the next run needs them. */
function limited(writes: readonly PageWrites[], roomForItems: number): PageWrites[] {
  let room = roomForItems
  return writes.map((each) => {
    const items = each.items.slice(0, room)
    room -= items.length
    if (items.length === each.items.length || each.mark.kind !== 'end') return { ...each, items }
    return { ...each, items, mark: { ...each.mark, end: { ...each.mark.end, kept: null } } }
  })
}

/** Those that are not known, each once. */
function newAmong(links: readonly NewPage[], known: ReadonlyMap<string, unknown>): NewPage[] {
  const fresh = new Map<string, NewPage>()
  for (const link of links) {
    const { urlHash } = link
    if (!known.has(urlHash) && !fresh.has(urlHash)) fresh.set(urlHash, link)
  }
  return [...fresh.values()]
}

function noticesOf(items: readonly CollectedItem[]): NewNotice[] {
  const later = new Map<string, number>()
  const notices = items.toReversed().map(({ url, change, value, fetchedAtMs, keyHash }) => {
    const laterOfKey = later.get(keyHash) ?? 0
    later.set(keyHash, laterOfKey + 1)
    return { url, change, atMs: fetchedAtMs, keyHash, laterOfKey, title: titleOf(value) }
  })
  return notices.reverse()
}

function changeOf(item: CollectedItem, before: ReadonlyMap<string, ReadonlySet<string>>): Change {
  const hashes = before.get(item.keyHash)
  if (hashes === undefined) return 'new'
  return hashes.has(item.contentHash) ? 'unchanged' : 'changed'
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
