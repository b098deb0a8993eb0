import type { Database } from '#db'
import { notFound } from '#kernel'
import { type Body, withAttributesOf } from '../entries/body.ts'
import {
  type Happened,
  happenedOnce,
  happenedTo,
  parseHappened,
  savedBy,
} from '../entries/happened.ts'
import { toEntry } from '../entries/render.ts'
import { type Copy, createCopies, type Depth } from '../entries/store/copies.ts'
import type { Registered } from '../entries/store/registry.ts'
import type { Trx } from '../entries/store/statements.ts'
import type { Entry } from '../entry.ts'
import type { ContentModel, ContentType } from '../model.ts'
import type { Include } from '../query/ast.ts'
import type { createFind } from '../query/find.ts'
import type { ContentTables } from '../tables.ts'
import type { Viewer } from '../viewer.ts'
import { goneFrom } from './gone.ts'
import { createIncluded, isHeld } from './included.ts'
import { isKept, type Misfit, readKept } from './kept-body.ts'
import { findKept, findKeptBody, findVersion } from './store.ts'

/** What an entry said at some time. */
interface Revision {
  /** Store-wide; later ones are higher. */
  readonly id: number
  readonly savedAtMs: number
  /** The user's number; null where nobody or nobody known wrote it. */
  readonly savedBy: number | null
  /** What the working copy says. */
  readonly isCurrent: boolean
  /** What the live copy says. */
  readonly isLive: boolean
  /** The oldest first. */
  readonly events: readonly Happened[]
}

interface RevisionRead {
  readonly revision: Revision
  readonly entry: Entry
  /** What of the revision cannot be shown, because the type or the store is another by now. */
  readonly warnings: readonly Misfit[]
}

interface Deps {
  readonly db: Database
  model(): ContentModel
  keptRevisions(): number
  readonly find: Pick<ReturnType<typeof createFind>, 'find' | 'findOne'>
}

export interface Revisions {
  /** The newest first: as many as are kept, the current and the live one always. */
  list(type: ContentType, id: number): Promise<readonly Revision[]>
  /** With what `include` asks for; refuses one that is not listed. */
  get(
    viewer: Viewer,
    type: ContentType,
    target: { readonly id: number; readonly revisionId: number },
    include: readonly Include[],
  ): Promise<RevisionRead>
}

/** Former values of entries, read by those who may see drafts. */
export function createRevisions(deps: Deps): Revisions {
  const { db, model, find } = deps
  const included = createIncluded({ dialect: db.dialect, model, find: find.find })
  return { list, get }

  async function list(type: ContentType, id: number): Promise<readonly Revision[]> {
    return reading(async (trx) => {
      const { entry, copies } = await getWhole(trx, type, id, 'values')
      return listed(trx, entry, copies, deps.keptRevisions())
    })
  }

  async function get(
    viewer: Viewer,
    type: ContentType,
    { id, revisionId }: { readonly id: number; readonly revisionId: number },
    include: readonly Include[],
  ): Promise<RevisionRead> {
    // What other entries hold of it, and its languages, are not in a revision: they are as they are now.
    const others = include.filter((each) => !isHeld(type, each))
    const query = { type, state: 'working', locale: { kind: 'all' }, filter: null } as const
    const now = await find.findOne(viewer, { ...query, include: others }, { id })
    if (!now) throw notFound()
    return reading(async (trx) => {
      const { entry, copies } = await getWhole(trx, type, id)
      const all = await listed(trx, entry, copies, deps.keptRevisions())
      const revision = all.find((each) => each.id === revisionId)
      if (!revision) throw notFound('revision')
      const { copy, misfits } = await copyOf(trx, type, revision, copies)
      const held = include.filter((each) => isHeld(type, each))
      const own = await included.load(trx, viewer, { type, locale: entry.locale }, copy.body, held)
      const gone = await goneFrom(trx, db.dialect, model(), type, copy.body, viewer)
      const shown = toEntry(type, entry, { ...copy, updatedAtMs: revision.savedAtMs })
      return {
        revision,
        entry: { ...shown, included: new Map([...now.included, ...own]) },
        warnings: [...misfits, ...gone.misfits],
      }
    })
  }

  /**
   * Both as of one moment: rows are asked for at once. What lies beside them is asked for after them, and all of it
   * again when the entry was written in between, which would be shown in half.
   */
  async function getWhole(trx: Trx, type: ContentType, id: number, depth: Depth = 'whole') {
    for (;;) {
      const found = await createCopies(type, model()).findDocument(trx, { id }, depth)
      const entry = found.variants.find((variant) => variant.id === id)
      if (!entry) throw notFound()
      const copies = found.copies.filter(({ entryNo }) => entryNo === entry.no)
      if (depth === 'values' || (await findVersion(trx, entry.no)) === entry.version) {
        return { entry, copies }
      }
    }
  }

  async function copyOf(
    trx: Trx,
    type: ContentType,
    { id }: Revision,
    copies: readonly Copy[],
  ): Promise<{ readonly copy: Copy; readonly misfits: readonly Misfit[] }> {
    const still = copies.find(({ revisionId }) => revisionId === id)
    if (still) return { copy: still, misfits: [] }
    const work = copies.find((copy) => copy.work)
    const { entryNo } = work ?? { entryNo: 0 }
    const text = await findKeptBody(trx, entryNo, id)
    if (!work || text === undefined) throw notFound('revision')
    const { body, misfits } = readKept(type, text, model())
    return { copy: { ...work, revisionId: id, body: withOutside(type, body, work.body) }, misfits }
  }

  /** Reads only, so this plan is never carried out. */
  function reading<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
    return db.main.write(async (tx) => {
      const result = await work(tx.as<ContentTables>())
      return () => result
    })
  }
}

/** What no revision holds is as it is now. */
function withOutside(type: ContentType, body: Body, now: Body): Body {
  return withAttributesOf(type, body, now, (attribute) => !isKept(attribute))
}

async function listed(
  trx: Trx,
  entry: Registered,
  copies: readonly Copy[],
  most: number,
): Promise<readonly Revision[]> {
  const kept = await findKept(trx, entry.no, most)
  const byId = new Map<number, Revision>()
  for (const copy of copies) {
    const saved = savedBy(entry, copy)
    const flags = { isCurrent: copy.work, isLive: copy.live }
    const events = copy.work ? happenedTo(entry, copy) : happenedOnce(saved)
    byId.set(copy.revisionId, toRevision(copy.revisionId, saved, flags, events))
  }
  for (const row of kept) {
    const { revision_id: id, events: text } = row
    const now = byId.get(id)
    const { isCurrent = false, isLive = false } = now ?? {}
    const known = text === null ? happenedOnce(row) : parseHappened(text)
    byId.set(id, toRevision(id, row, { isCurrent, isLive }, now?.isCurrent ? now.events : known))
  }
  const all = [...byId.values()].sort((one, other) => other.id - one.id)
  return all.filter(({ isCurrent, isLive }, at) => at < most || isCurrent || isLive)
}

function toRevision(
  id: number,
  { saved_at, saved_by }: { readonly saved_at: number; readonly saved_by: number | null },
  flags: Pick<Revision, 'isCurrent' | 'isLive'>,
  events: readonly Happened[],
): Revision {
  return { id, savedAtMs: saved_at, savedBy: saved_by, ...flags, events }
}
