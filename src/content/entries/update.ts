import type { ScalarAttribute } from '../model.ts'
import { userOf } from '../system.ts'
import { isSameJson } from './body.ts'
import { happenedBy } from './happened.ts'
import { writeInverse } from './inverse.ts'
import { revisedBy } from './keep-revision.ts'
import { isInLocale, type Loaded } from './load.ts'
import { releaseFromOthers } from './owners.ts'
import { claimPath, movePath, parentsFor } from './placing.ts'
import { isChange, makePlan, type Plan } from './plan.ts'
import { refusePlanned } from './planned.ts'
import type { UpdateOptions, Written } from './ports.ts'
import type { Prepared } from './prepare.ts'
import { LostRace, taken } from './refusals.ts'
import { toEntry } from './render.ts'
import { shareWithOthers } from './share.ts'
import type { Copy } from './store/copies.ts'
import { findTaken, guardFree } from './store/names.ts'
import { changeRegistered, findByExternalIds, type Registered } from './store/registry.ts'
import { actionsOf, tell } from './tell-update.ts'
import { codesOf, holdShared, slugIn, uniqueValues } from './unique-names.ts'
import { writeCopies } from './write-copies.ts'
import type { Writing } from './writing.ts'

export async function update(
  writing: Writing,
  loaded: Loaded,
  prepared: Prepared,
  options: Pick<UpdateOptions, 'mode' | 'status'>,
): Promise<Written> {
  const plan = await makePlan(writing, loaded, prepared, options)
  if (!isChange(plan, loaded.entry)) return unchanged(writing, loaded)
  if (plan.isBodyChanged) refusePlanned(writing, writing.type, [loaded.entry])
  await refuseTaken(writing, loaded, plan)
  return perform(writing, loaded, prepared, plan)
}

function unchanged({ type }: Writing, { entry, work }: Loaded): Written {
  return { entry: toEntry(type, entry, work), changed: false }
}

async function perform(
  writing: Writing,
  loaded: Loaded,
  prepared: Prepared,
  plan: Plan,
): Promise<Written> {
  const { type } = writing
  const before = loaded.entry
  const copy = await writeCopies(writing, loaded, plan)
  const entry = await writeRow(writing, loaded, prepared, plan)
  const { asDraft } = plan
  const tree = {
    parent: entry.parent,
    sortOrder: entry.sort_order,
    isMoved: entry.parent !== before.parent,
  }
  const sharing = {
    variants: loaded.variants,
    copies: loaded.copies.filter(({ entryNo }) => entryNo !== entry.no),
    own: entry,
    body: copy.body,
    asDraft,
    tree,
  }
  const others = prepared.input.asItWas ? [] : await shareWithOthers(writing, sharing)
  await relate(writing, loaded, plan, copy, asDraft)
  if (isMovedBelow(before, entry) || tree.isMoved) {
    await writing.tree.refreshBelow([...others, entry])
  }
  tell(writing, loaded, plan, entry, copy)
  return { entry: toEntry(type, entry, copy), changed: true }
}

function isMovedBelow(before: Registered, after: Registered): boolean {
  return (
    before.path !== after.path ||
    before.has_live !== after.has_live ||
    before.ancestors_live !== after.ancestors_live
  )
}

async function writeRow(
  writing: Writing,
  loaded: Loaded,
  prepared: Prepared,
  plan: Plan,
): Promise<Registered> {
  const { trx, actor } = writing
  const { input } = prepared
  const { entry } = loaded
  const change = {
    ...plan.row,
    ...(await place(writing, loaded, plan)),
    has_live: plan.goal === 'draft' ? 0 : 1,
    changed: plan.goal === 'changed' ? 1 : 0,
    version: entry.version + 1,
    updated_by: userOf(actor) ?? entry.updated_by,
    ...revisedBy(entry, loaded.work, plan.isBodyChanged),
    ...happenedBy(writing, loaded, prepared, plan, actionsOf(writing, loaded, plan)),
    ...(plan.isBodyChanged ? { scraped: input.source ? 1 : 0 } : {}),
    ...(input.source === undefined ? {} : { source: input.source && JSON.stringify(input.source) }),
  }
  await changeRegistered(trx, [entry.no], change)
  return { ...entry, ...change }
}

/** The path follows the live copy, so that a draft with another slug leaves it as it is. */
async function place(writing: Writing, { entry, live }: Loaded, plan: Plan) {
  const { type } = writing
  const { id, locale, no, document_id: documentId } = entry
  const shown = plan.goal === 'changed' && live ? (plan.liveBody ?? live.body) : plan.body
  const slug = slugIn(type, shown, id)
  const isRoot = plan.row.is_root === 1
  const isMoved = plan.row.parent !== entry.parent
  const isSame = entry.path?.endsWith(`/${slug.toLowerCase()}`)
  if (!isMoved && plan.row.is_root === entry.is_root && (isSame || isRoot)) return {}
  const parents = await parentsFor(writing, plan.row.parent, documentId, isMoved)
  const spot = await claimPath(writing, { no, locale, isRoot, slug, parents }, documentId)
  if (spot.path !== entry.path) await movePath(writing, entry, spot.path)
  return { path: spot.path, ancestors_live: spot.ancestorsLive ? 1 : 0 }
}

async function relate(
  writing: Writing,
  { entry, work, live }: Loaded,
  plan: Plan,
  copy: Copy,
  asDraft: boolean,
) {
  const { document_id: documentId } = entry
  // What goes live is taken from others that are live, also when a draft has linked it before.
  const replaced = asDraft ? work : live
  for (const attribute of writing.type.attributes) {
    if (attribute.type !== 'relation' || attribute.side === 'inverse') continue
    const before = new Set(replaced?.body.links.get(attribute.no))
    const added = (plan.body.links.get(attribute.no) ?? []).filter((link) => !before.has(link))
    await releaseFromOthers(writing, attribute, added, documentId, asDraft)
  }
  const [first] = plan.inverse
  const revision = first && !plan.isBodyChanged ? await writing.takeNumber() : copy.revisionId
  for (const change of plan.inverse) {
    await writeInverse(writing, change, { documentId, revision, asDraft })
  }
}

async function refuseExternalId(writing: Writing, externalId: string | null, own: Registered) {
  const { type, isHopeful } = writing
  // A unique index finds it, too, unless the other one is stored with another locale.
  if (externalId === null || (isHopeful && !type.hasStrayLocales)) return
  const holders = await findByExternalIds(writing, type.no, [externalId])
  const others = holders.filter((row) => row.no !== own.no && isInLocale(type, row, own.locale))
  if (others.length > 0) throw taken(['externalId'], 'is already used')
}

/** What must be unique is so, in the copy that is written and in the one that goes live. */
async function refuseTaken(writing: Writing, { entry, work }: Loaded, plan: Plan) {
  const { type, model } = writing
  const { document_id: documentId, locale } = entry
  if (plan.row.external_id !== entry.external_id) {
    await refuseExternalId(writing, plan.row.external_id, entry)
  }
  const isNew = ({ no }: ScalarAttribute) =>
    plan.from !== plan.goal || !isSameJson(plan.body.values.get(no), work.body.values.get(no))
  const values = uniqueValues(type, plan.body).filter(({ attribute }) => isNew(attribute))
  if (values.length === 0) return
  const whose = { documentId, locale, locales: codesOf(model), entryNo: entry.no }
  const names = { values, paths: [] }
  await holdShared(writing, values)
  const found = await findTaken(writing, type, names, whose)
  const clashes = values.filter(({ attribute }) => found.values.has(attribute.no))
  if (clashes.length === 0) return guardFree(writing, type, names, whose)
  const refusal = taken(
    clashes.map(({ attribute }) => attribute.name),
    'is already used',
  )
  // One that was made a moment ago was lost to another writer since.
  const isMade = clashes.every(({ attribute }) => !plan.given.values.has(attribute.no))
  throw isMade ? new LostRace(refusal) : refusal
}
