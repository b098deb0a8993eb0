/**
 * The gateway's configuration in the main thread: a copy of what is stored, kept current by
 * revisions, and the only way to change it. Changes of all nodes come one after the other, because
 * the revision's row is locked first; so what a change looks at is what is stored.
 */
import type { Kysely } from 'kysely'
import { type Revisions, storedRevision } from '#bus'
import type { Database, Tx } from '#db'
import type { Clock, Log } from '#kernel'
import type { Kind } from '../protocol.ts'
import type { Description } from '../resources/descriptions.ts'
import { createDraft, type Draft, type DraftEvent } from './draft.ts'
import { PENDING } from './history.ts'
import type { HistoryEntry, HistoryStore, NewEntry } from './history-store.ts'
import type { Removed, Store, Stored } from './store.ts'
import type { GatewayTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly revisions: Revisions
  readonly store: Store
  readonly history: HistoryStore
  /** Raises an event in the transaction of the change. */
  appendEvent(tx: Tx, event: DraftEvent): Promise<unknown>
  readonly descriptions: ReadonlyMap<Kind, Description>
  /** Brings a change to the data plane of this process; resolves when it is used there. */
  publish(put: readonly Stored[], removed: readonly Removed[]): Promise<void>
}

/** Who writes, and what of the past the work needs to see. */
export interface WriteTerms {
  /** Id of a key, or a word for who else writes. */
  readonly by: string
  /** Everything written after this revision is handed to the work, newest first. */
  since?(): number | undefined
}

/** A write that is taken back when nobody confirms it. */
export interface Pending {
  readonly revision: number
  readonly deadlineMs: number
}

export const TOPIC = 'gateway.config'
const REMOVALS_KEPT_MS = 24 * 3_600_000
const WRITES_KEPT = 1_000
/** The mark of the revision that history begins after. */
export const FLOOR = 'history_floor'

export function createConfiguration(deps: Deps) {
  const { db, clock, log, revisions, store, history, descriptions, publish } = deps
  const reader: Kysely<GatewayTables> = db.main.reader
  const objects = new Map<string, Stored>()
  const marks = new Map<string, string>()
  let applied = 0
  let last: Promise<unknown> = Promise.resolve()
  let endWatch = () => {}
  let pending: Pending | undefined
  let floor: number | undefined

  return {
    load,
    change,
    find: (kind: Kind, id: string) => objects.get(`${kind}/${id}`),
    all: () => objects.values(),
    revision: () => applied,
    /** Above `revision` when another node has written just now. */
    storedRevision: () => storedRevision(db.main, TOPIC),
    /** As current as the objects: within a change, what is stored then. */
    marks: (): ReadonlyMap<string, string> => marks,
    pending: () => pending,
    /** The revisions that can be gone back to. */
    kept: () => ({ floor: Math.max(floor ?? applied, applied - WRITES_KEPT), current: applied }),
    republish,
    close: () => endWatch(),
  }

  /** Everything, before the data plane starts; from then on changes of other nodes are followed. */
  async function load(): Promise<readonly Stored[]> {
    // Before the objects: what is written between the two is followed, and not taken for known.
    const revision = await storedRevision(db.main, TOPIC)
    const stored = await store.findAll(reader)
    applied = Math.max(revision, ...stored.map(({ modifiedIndex }) => modifiedIndex))
    for (const object of stored) objects.set(keyOf(object), object)
    noteMarks(await store.readMarks(reader))
    endWatch = revisions.watch(TOPIC, follow, applied)
    return stored.filter((object) => !isOver(object) && isUsable(object))
  }

  /** Ended while nobody was there to remove it. */
  function isOver({ expiresAtMs }: Stored): boolean {
    return expiresAtMs !== undefined && expiresAtMs <= clock.now()
  }

  function noteMarks(changed: ReadonlyMap<string, string>): void {
    for (const [name, value] of changed) marks.set(name, value)
    const mark = changed.get(PENDING)
    if (mark !== undefined) pending = mark === '' ? undefined : JSON.parse(mark)
    const begins = changed.get(FLOOR)
    if (begins !== undefined) floor = Number(begins)
  }

  /** Contract §10: what no longer validates is skipped and logged; the others work. */
  function isUsable({ kind, id, value }: Stored): boolean {
    const faults = descriptions.get(kind)?.findFaults(value) ?? [
      { path: '', message: 'unknown kind' },
    ]
    if (faults.length === 0) return true
    log.error({ kind, id, faults }, 'a stored gateway object is not valid and is skipped')
    return false
  }

  /**
   * One accepted write: `work` looks at the configuration through the draft and changes it there.
   * Nothing is stored when it throws. Resolves when the data plane of this process uses the change.
   */
  async function change<T>(work: Work<T>, terms: WriteTerms): Promise<T> {
    const turn = inTurn(async () => {
      const done = await db.main.write(async (tx) => {
        const written = await write(tx, work, terms)
        return () => written
      })
      noteMarks(done.marks)
      floor ??= done.index - 1
      const published = accept(done.put, done.removed, done.index)
      return { result: done.result, published }
    })
    const { result, published } = await turn
    await published
    return result
  }

  async function write<T>(tx: Tx, work: Work<T>, terms: WriteTerms) {
    const trx = tx.as<GatewayTables>()
    const index = await takeIndex(tx)
    const nowMs = clock.now()
    const draft = createDraft({ objects, index, nowMs })
    const since = terms.since?.()
    const past = since === undefined ? [] : await history.findSince(trx, since)
    const result = work(draft, past)
    const { put, removed, marks: marked, events } = draft.outcome()
    await remember(trx, { revision: index, atMs: nowMs, by: terms.by }, put, removed)
    await store.save(trx, put.map(withSecrecy))
    await store.remove(trx, removed, index, nowMs)
    if (removed.length > 0) await store.purgeRemovals(trx, nowMs - REMOVALS_KEPT_MS)
    for (const [name, value] of marked) await store.saveMark(trx, name, value)
    for (const event of events) await deps.appendEvent(tx, event)
    return { result, put, removed, marks: marked, index }
  }

  /** The number of the write. The copy is what is stored then, whatever other nodes have written. */
  async function takeIndex(tx: Tx): Promise<number> {
    const trx = tx.as<GatewayTables>()
    const next = tx.isPlan
      ? (await storedRevision(db.main, TOPIC)) + 1
      : await revisions.bump(tx, TOPIC)
    if (next !== applied + 1) await catchUp(trx, next - 1)
    if (tx.isPlan) await revisions.bumpFrom(tx, TOPIC, next - 1)
    return next
  }

  async function remember(
    trx: Kysely<GatewayTables>,
    write: Pick<HistoryEntry, 'revision' | 'atMs' | 'by'>,
    put: readonly Stored[],
    removed: readonly Removed[],
  ): Promise<void> {
    const entries = [
      // An entry taken out of use is no write: the value is what it was.
      ...put.filter(isWritten).map((after) => toEntry(after, after)),
      ...removed.map((each) => toEntry(each, null)),
    ]
    if (floor === undefined) await store.saveMark(trx, FLOOR, String(write.revision - 1))
    await history.append(trx, write, entries)
    await history.prune(trx, write.revision - WRITES_KEPT)
  }

  function isWritten(object: Stored): boolean {
    return object.value !== objects.get(keyOf(object))?.value || !object.aborts
  }

  function toEntry({ kind, id }: Removed, after: Stored | null): NewEntry {
    const before = objects.get(`${kind}/${id}`) ?? null
    const isSecret = [before, after].some((object) => object && withSecrecy(object).isSecret)
    return { kind, id, before, after, isSecret }
  }

  function withSecrecy(object: Stored) {
    const secrets = descriptions.get(object.kind)?.secrets(object.value) ?? []
    // Nobody knows what is in metadata of plugins, so all of it is taken for secret.
    return { ...object, isSecret: secrets.length > 0 || object.kind === 'plugin_metadata' }
  }

  function accept(put: readonly Stored[], removed: readonly Removed[], index: number) {
    for (const object of put) objects.set(keyOf(object), object)
    for (const object of removed) objects.delete(keyOf(object))
    applied = Math.max(applied, index)
    if (put.length + removed.length === 0) return undefined
    const usable: Stored[] = []
    // What was there before is no longer stored: as after a restart, nothing is in its place.
    const unusable: Removed[] = []
    for (const object of put) (isUsable(object) ? usable : unusable).push(object)
    return publish(usable, [...removed, ...unusable])
  }

  /** What an object stands for is another, though nobody has written it. */
  async function republish(isMeant: (value: Stored['value']) => boolean): Promise<void> {
    await inTurn(async () => {
      const meant = [...objects.values()].filter(({ value }) => isMeant(value))
      await publish(meant.filter(isUsable), [])
    })
  }

  /** Another node has written something. */
  async function follow(revision: number): Promise<void> {
    await inTurn(async () => {
      if (revision > applied) await catchUp(reader, revision)
    })
  }

  async function catchUp(from: Kysely<GatewayTables>, index: number): Promise<void> {
    const [put, removed] = [
      await store.findSince(from, applied),
      await store.findRemovedSince(from, applied),
    ]
    noteMarks(await store.readMarks(from))
    void accept(put, removed, index)
    // A removal was forgotten before this node heard of it: compare everything.
    if (objects.size !== (await store.count(from))) await compareAll(from)
  }

  async function compareAll(from: Kysely<GatewayTables>): Promise<void> {
    const stored = await store.findAll(from)
    const present = new Set(stored.map(keyOf))
    const gone = [...objects.values()].filter((object) => !present.has(keyOf(object)))
    const news = stored.filter(
      (object) => objects.get(keyOf(object))?.modifiedIndex !== object.modifiedIndex,
    )
    void accept(news, gone, applied)
  }

  /** Changes of this process queue here instead of waiting for each other with a connection held. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
}

type Work<T> = (draft: Draft, past: readonly HistoryEntry[]) => T

export type Configuration = ReturnType<typeof createConfiguration>

function keyOf({ kind, id }: { kind: Kind; id: string }): string {
  return `${kind}/${id}`
}
