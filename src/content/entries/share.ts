import type { Attribute } from '../model.ts'
import { userOf } from '../system.ts'
import { type Body, hasSameBody, withAttributesOf } from './body.ts'
import { hasOwnEvent, stockEvent } from './events.ts'
import { renderHappened } from './happened.ts'
import { keepRevision, revisedBy } from './keep-revision.ts'
import { claimPath, movePath, parentsFor, slugOfRow } from './placing.ts'
import { refusePlanned } from './planned.ts'
import type { Copy } from './store/copies.ts'
import { changeRegistered, type Registered } from './store/registry.ts'
import { slugIn } from './unique-names.ts'
import type { Writing } from './writing.ts'

interface Sharing {
  readonly variants: readonly Registered[]
  /** Of the other variants. */
  readonly copies: readonly Copy[]
  readonly own: Registered
  /** What the written variant says now. */
  readonly body: Body
  /** The write did not go live: live copies of other variants stay as they are too. */
  readonly asDraft: boolean
  /** The place in the tree belongs to the document, not to one of its variants. */
  readonly tree: {
    readonly parent: string | null
    readonly sortOrder: number
    readonly isMoved: boolean
  }
}

interface Outcome {
  readonly isWritten: boolean
  /** When and by whom the values of the working copy were written; undefined when they need not be noted. */
  readonly saved: ReturnType<typeof revisedBy> | ReturnType<typeof revisedNow> | undefined
  readonly isSplit: boolean
  /** What was drafted went live with the write, so that there is no draft any more. */
  readonly isUnited: boolean
  readonly isLiveWritten: boolean
  /** Before the write, where all that it changed has an event of its own. */
  readonly ownEvent: { readonly before: Body; readonly after: Body } | null
  /** Of the copy whose slug is in the path. */
  readonly shown: Body | undefined
}

/**
 * Copies what all languages of a document share to its other variants: attributes that are not
 * localised, unversioned ones also into live copies, and the place in the tree. Returns their rows.
 */
export async function shareWithOthers(writing: Writing, sharing: Sharing): Promise<Registered[]> {
  const { variants, own } = sharing
  const rows: Registered[] = []
  for (const variant of variants.filter(({ no }) => no !== own.no)) {
    const outcome = await shareBody(writing, sharing, variant)
    rows.push(await shareRow(writing, sharing, variant, outcome))
  }
  return rows
}

async function shareBody(
  writing: Writing,
  { copies, body, asDraft }: Sharing,
  variant: Registered,
): Promise<Outcome> {
  const own = copies.filter(({ entryNo }) => entryNo === variant.no)
  let isWritten = false
  let isRevised = false
  let isSplit = false
  let isLiveWritten = false
  let isMore = false
  let ownEvent: Outcome['ownEvent'] = null
  let shown: Body | undefined
  const bodies = new Map<Copy, Body>()
  for (const copy of own) {
    const isKept = asDraft && copy.live
    const unversioned = withAttributesOf(writing.type, copy.body, body, isUnversioned)
    const whole = withAttributesOf(writing.type, unversioned, body, isShared)
    const next = isKept ? unversioned : whole
    if (copy.live || !own.some(({ live }) => live)) shown = next
    bodies.set(copy, next)
    const isOutside = hasSameBody(unversioned, whole)
    if (!isOutside && copy.work) refusePlanned(writing, writing.type, [variant])
    if (!isOutside && (copy.work || !isKept)) {
      await keepRevision(writing, variant, copy)
      isRevised ||= copy.work
    }
    if (!hasSameBody(copy.body, next)) {
      await saveShared(writing, copy, next, isKept || isOutside)
      isWritten = true
      if (copy.live) isLiveWritten = true
      if (isToldApart(writing, copy.body, next)) ownEvent = { before: copy.body, after: next }
      else isMore = true
    }
    if (!isKept || !copy.work || isOutside) continue
    await splitShared(writing, { ...copy, body: next }, whole)
    isWritten = true
    isSplit = true
    isMore = true
  }
  const work = own.find((copy) => copy.work)
  const live = own.find((copy) => copy.live)
  const [drafted, published] = [work && bodies.get(work), live && bodies.get(live)]
  const isUnited = isWritten && !asDraft && work !== live && isSame(drafted, published)
  if (isUnited && work && live) await unite(writing, work, live)
  const before = isWritten && work ? revisedBy(variant, work, false) : undefined
  const saved = isRevised ? revisedNow(writing) : before
  const told = isMore ? null : ownEvent
  return { isWritten, saved, isSplit, isUnited, isLiveWritten, ownEvent: told, shown }
}

function isSame(one: Body | undefined, other: Body | undefined): boolean {
  return one !== undefined && other !== undefined && hasSameBody(one, other)
}

/** The working copy stays, as when it is published. */
async function unite({ trx, copies }: Writing, work: Copy, live: Copy) {
  await copies.remove(trx, [live.copyNo])
  await copies.setFlags(trx, work.copyNo, { live: true, work: true })
}

function isToldApart({ type }: Writing, before: Body, after: Body): boolean {
  const has = ({ name }: Attribute) => hasOwnEvent(type, name)
  return hasSameBody(withAttributesOf(type, before, after, has), after)
}

async function saveShared(writing: Writing, copy: Copy, body: Body, isOutside: boolean) {
  const { trx, copies, nowMs } = writing
  // Unversioned values lie outside revisions.
  const revisionId = isOutside ? copy.revisionId : await writing.takeNumber()
  await copies.save(trx, copy, { ...copy, body, revisionId, updatedAtMs: nowMs })
}

async function splitShared(writing: Writing, copy: Copy, body: Body) {
  const { trx, copies, nowMs } = writing
  const copyNo = await writing.takeNumber()
  await copies.split(trx, copy.copyNo, copyNo)
  const was = { ...copy, copyNo, live: false, work: true }
  await copies.save(trx, was, { ...was, body, revisionId: copyNo, updatedAtMs: nowMs })
}

async function shareRow(
  writing: Writing,
  { body, tree }: Sharing,
  variant: Registered,
  { isWritten, saved, isSplit, isUnited, isLiveWritten, ownEvent, shown }: Outcome,
): Promise<Registered> {
  const place = await sharePlace(writing, tree, variant, shown ?? body)
  const isPlaced =
    tree.parent !== variant.parent ||
    tree.sortOrder !== variant.sort_order ||
    place.path !== variant.path
  if (!isWritten && !isPlaced) return variant
  const change = {
    ...place,
    parent: tree.parent,
    sort_order: tree.sortOrder,
    version: variant.version + 1,
    ...(isWritten ? { updated_at: writing.nowMs } : {}),
    ...saved,
    ...(isSplit ? { changed: 1 } : {}),
    ...(isUnited ? { changed: 0 } : {}),
  }
  await changeRegistered(writing.trx, [variant.no], change)
  writing.touch(variant.type_no)
  const entry = { ...variant, ...change }
  if (ownEvent) {
    writing.tell([stockEvent(writing.type, entry, ownEvent.before, ownEvent.after)])
  }
  if (!ownEvent || isPlaced) {
    const live = isLiveWritten || (isPlaced && entry.has_live === 1)
    writing.noteChanged([{ entry, live }])
  }
  return entry
}

function revisedNow({ nowMs, actor }: Writing) {
  const userId = userOf(actor)
  const events = renderHappened([{ event: 'update', atMs: nowMs, by: userId }])
  return { revised_at: nowMs, revised_by: userId, scraped: 0, events }
}

async function sharePlace(
  writing: Writing,
  tree: Sharing['tree'],
  variant: Registered,
  shown: Body,
): Promise<Pick<Registered, 'path' | 'ancestors_live'>> {
  const { path, ancestors_live, locale, no } = variant
  const hasSharedSlug = isSharedSlug(writing)
  if (!tree.isMoved && !hasSharedSlug) return { path, ancestors_live }
  const slug = hasSharedSlug ? slugIn(writing.type, shown, variant.id) : slugOfRow(variant)
  const parents = await parentsFor(writing, tree.parent, variant.document_id, false)
  const asked = { no, locale, isRoot: variant.is_root === 1, slug, parents }
  const spot = await claimPath(writing, asked, variant.document_id)
  if (spot.path !== path) await movePath(writing, variant, spot.path)
  return { path: spot.path, ancestors_live: spot.ancestorsLive ? 1 : 0 }
}

function isSharedSlug({ type }: Writing): boolean {
  const attribute = type.slugField === null ? undefined : type.attribute.get(type.slugField)
  return attribute !== undefined && isShared(attribute)
}

export function isUnversioned(attribute: Attribute): boolean {
  return attribute.unversioned
}

export function isShared(attribute: Attribute): boolean {
  return !attribute.localized && !attribute.unversioned
}
