import type { EntryStatus } from '../entry.ts'
import type { Attribute, ContentType, ScalarAttribute } from '../model.ts'
import { applyInput } from './apply.ts'
import { type Body, hasSameBody, isSameJson, withAttributesOf } from './body.ts'
import { checkLive } from './check-live.ts'
import { refuseExternalId } from './create.ts'
import type { EntryAction } from './event-names.ts'
import { eventsOf, hasOwnEvent, stockEvent } from './events.ts'
import { createProblems, type ParsedBody, type Problems } from './input/parsed.ts'
import { type InverseChange, planInverse, writeInverse } from './inverse.ts'
import type { Loaded } from './load.ts'
import { codesOf, slugIn, uniqueValues, withNames, withPartUids } from './names.ts'
import { findOwners, releaseFromOthers } from './owners.ts'
import { claimPath, movePath, parentsFor, spotOf } from './placing.ts'
import type { UpdateOptions, Written } from './ports.ts'
import type { Prepared } from './prepare.ts'
import { findReferences } from './references.ts'
import { LostRace, notPublishable, refuse, taken } from './refusals.ts'
import { statusOf, toEntry } from './render.ts'
import { isUnversioned, shareWithOthers } from './share.ts'
import type { Copy } from './store/copies.ts'
import { findTaken } from './store/names.ts'
import { changeRegistered, type Registered } from './store/registry.ts'
import type { Writing } from './writing.ts'

type Options = Pick<UpdateOptions, 'mode' | 'status'>

/** What a write makes of an entry, decided before anything is written. */
interface Plan {
  readonly from: EntryStatus
  readonly goal: EntryStatus
  /** The write was not meant to reach what is live, here or at the other end of a relation. */
  readonly asDraft: boolean
  /** Before uids were made for it. */
  readonly given: Body
  readonly body: Body
  readonly inverse: readonly InverseChange[]
  /** Of what has copies and languages, without the unversioned attributes. */
  readonly isBodyChanged: boolean
  readonly unversioned: readonly Attribute[]
  readonly row: RowChange
}

/** The members of the registry that a caller can change. */
interface RowChange {
  readonly external_id: string | null
  readonly parent: string | null
  readonly sort_order: number
  readonly is_root: number
  readonly published_at: number | null
  readonly created_at: number
  readonly created_by: number | null
}

export async function update(
  writing: Writing,
  loaded: Loaded,
  prepared: Prepared,
  options: Options,
): Promise<Written> {
  const plan = await makePlan(writing, loaded, prepared, options)
  if (!isChange(plan, loaded.entry)) return unchanged(writing, loaded)
  await refuseTaken(writing, loaded, plan)
  return perform(writing, loaded, prepared, plan)
}

function unchanged({ type }: Writing, { entry, work }: Loaded): Written {
  return { entry: toEntry(type, entry, work), changed: false }
}

async function makePlan(
  writing: Writing,
  loaded: Loaded,
  prepared: Prepared,
  { mode = 'merge', status = 'keep' }: Options,
): Promise<Plan> {
  const { trx, type, model } = writing
  const { entry, work } = loaded
  const { parsed, problems } = prepared
  const unknown = createProblems()
  const references = await findReferences(trx, type, parsed, model)
  const faults = { problems, unknown }
  const context = { model, references, mode, isUpdate: true, ...faults }
  const applied = applyInput(type, work.body, parsed, context)
  const inverse = await planInverse(writing, parsed, entry.document_id, references, faults)
  const from = statusOf(entry)
  const isOutside = status === 'keep' && from === 'changed' && namesOnlyUnversioned(type, prepared)
  const goal = isOutside ? from : goalOf(type.draftAndPublish, from, status)
  if (goal === 'published') {
    await checkGoingLive(writing, loaded, applied, inverse, prepared, isWhole())
  }
  refuse(problems, unknown)
  const row = rowChange(writing, prepared, entry, goal, from)
  const body = await writing.withPartIds(await completed(writing, loaded, applied, row))
  const versioned = withAttributesOf(type, body, work.body, isUnversioned)
  const isBodyChanged = !hasSameBody(versioned, work.body)
  return {
    from,
    // A draft that says the same as what is live is no draft.
    goal: goal === 'changed' && from === 'published' && !isBodyChanged ? from : goal,
    asDraft: goal !== 'published',
    given: applied,
    body,
    inverse,
    isBodyChanged,
    unversioned: type.attributes.filter(
      ({ unversioned, no }) =>
        unversioned && !isSameJson(body.values.get(no), work.body.values.get(no)),
    ),
    row,
  }

  /** What was live before with the same values may lack what has become required since. */
  function isWhole(): boolean {
    return mode === 'replace' || from !== 'published'
  }
}

function goalOf(
  hasDrafts: boolean,
  from: EntryStatus,
  status: NonNullable<Options['status']>,
): EntryStatus {
  if (!hasDrafts || status === 'publish') return 'published'
  if (status === 'unpublish') return 'draft'
  if (from === 'draft') return 'draft'
  return status === 'draft' ? 'changed' : 'published'
}

function rowChange(
  { type, nowMs }: Writing,
  { input }: Prepared,
  entry: Registered,
  goal: EntryStatus,
  from: EntryStatus,
): RowChange {
  return {
    external_id: input.externalId === undefined ? entry.external_id : input.externalId,
    parent: input.parent === undefined ? entry.parent : (input.parent?.toLowerCase() ?? null),
    sort_order: input.sortOrder ?? entry.sort_order,
    is_root: input.isRoot === undefined ? entry.is_root : input.isRoot ? 1 : 0,
    published_at: type.draftAndPublish ? publishedAt() : null,
    created_at: input.createdAtMs ?? entry.created_at,
    created_by: input.createdBy === undefined ? entry.created_by : input.createdBy,
  }

  function publishedAt(): number | null {
    if (goal === 'draft') return null
    if (goal === 'changed') return entry.published_at
    return input.publishedAtMs ?? (from === 'published' ? entry.published_at : nowMs)
  }
}

/** Whose fault it is decides the refusal: the input's, or that of what was stored before. */
async function checkGoingLive(
  writing: Writing,
  loaded: Loaded,
  body: Body,
  inverse: readonly InverseChange[],
  { parsed, problems }: Prepared,
  isWhole: boolean,
) {
  const { type } = writing
  const found = createProblems()
  const related = await relatedInverse(writing, loaded, inverse)
  checkLive(type, body, {
    problems: found,
    isChecked: (attribute) => isWhole || isNamed(parsed, attribute),
    hasInverse: ({ no }) => related.has(no),
  })
  if (found.issues.length === 0) return
  const isInputs = ([name]: readonly (string | number)[]) => {
    const attribute = type.attribute.get(String(name))
    return attribute !== undefined && isNamed(parsed, attribute)
  }
  if (!found.issues.some(({ path }) => isInputs(path)) && problems.issues.length === 0) {
    throw notPublishable(found.issues)
  }
  addAll(problems, found)
}

function addAll(problems: Problems, found: Problems) {
  for (const { path, rule, message } of found.issues) {
    problems.add(path, rule, message.slice(path.join('.').length + 1))
  }
}

/** Required relations whose links are stored at the other end, and have some. */
async function relatedInverse(
  writing: Writing,
  { entry }: Loaded,
  inverse: readonly InverseChange[],
): Promise<Set<number>> {
  const related = new Set<number>()
  for (const attribute of writing.type.attributes) {
    if (attribute.type !== 'relation' || attribute.side === 'owning') continue
    if (!attribute.required) continue
    const planned = inverse.find((change) => change.attribute.no === attribute.no)
    const ownerType = writing.model.findType(attribute.target)
    const owners =
      planned?.wanted ??
      (ownerType ? await findOwners(writing, ownerType, attribute.linkNo, entry.document_id) : [])
    if (owners.length > 0) related.add(attribute.no)
  }
  return related
}

function isNamed({ scalars, relations, media, parts }: ParsedBody, { no }: Attribute): boolean {
  return scalars.has(no) || relations.has(no) || media.has(no) || parts.has(no)
}

function isChange(plan: Plan, entry: Registered): boolean {
  const { row } = plan
  return (
    plan.isBodyChanged ||
    plan.unversioned.length > 0 ||
    plan.inverse.length > 0 ||
    plan.from !== plan.goal ||
    row.external_id !== entry.external_id ||
    row.parent !== entry.parent ||
    row.sort_order !== entry.sort_order ||
    row.is_root !== entry.is_root ||
    row.published_at !== entry.published_at ||
    isOtherOrigin(row, entry)
  )
}

function isOtherOrigin(row: RowChange, entry: Registered): boolean {
  return row.created_at !== entry.created_at || row.created_by !== entry.created_by
}

/** The body with the uids it lacks. */
async function completed(
  writing: Writing,
  { entry, work }: Loaded,
  body: Body,
  row: RowChange,
): Promise<Body> {
  const { type, model } = writing
  const { document_id: documentId, locale, id } = entry
  const isComplete = type.attributes.every(
    ({ type: kind, no }) => kind !== 'uid' || body.values.has(no),
  )
  const parents = isComplete
    ? []
    : await parentsFor(writing, row.parent, documentId, row.parent !== entry.parent)
  const asked = { locale, isRoot: row.is_root === 1, parents }
  const pathWith = (slug: string) => spotOf(writing, { ...asked, slug }).path
  const whose = { documentId, locale, locales: codesOf(model), entryNo: entry.no }
  const naming = { body, old: work.body, id, whose, pathWith, isChecked: () => false }
  return isComplete ? withPartUids(body) : (await withNames(writing, naming)).body
}

/** What must be unique is so, in the copy that is written and in the one that goes live. */
async function refuseTaken(writing: Writing, { entry, work }: Loaded, plan: Plan) {
  const { trx, type, model } = writing
  const { document_id: documentId, locale } = entry
  if (plan.row.external_id !== entry.external_id) {
    await refuseExternalId(writing, plan.row.external_id, locale, entry.no)
  }
  const isNew = ({ no }: ScalarAttribute) =>
    plan.from !== plan.goal || !isSameJson(plan.body.values.get(no), work.body.values.get(no))
  const values = uniqueValues(type, plan.body).filter(({ attribute }) => isNew(attribute))
  if (values.length === 0) return
  const whose = { documentId, locale, locales: codesOf(model), entryNo: entry.no }
  const found = await findTaken(trx, type, { values, paths: [] }, whose)
  const clashes = values.filter(({ attribute }) => found.values.has(attribute.no))
  if (clashes.length === 0) return
  const refusal = taken(
    clashes.map(({ attribute }) => attribute.name),
    'is already used',
  )
  // One that was made a moment ago was lost to another writer since.
  const isMade = clashes.every(({ attribute }) => !plan.given.values.has(attribute.no))
  throw isMade ? new LostRace(refusal) : refusal
}

/** Values outside copies are changed without publishing what else has been drafted. */
function namesOnlyUnversioned({ attributes }: ContentType, { parsed, input }: Prepared): boolean {
  const named = attributes.filter((attribute) => isNamed(parsed, attribute))
  const { externalId, parent, sortOrder, isRoot, publishedAtMs, createdAtMs, createdBy } = input
  const system = [externalId, parent, sortOrder, isRoot, publishedAtMs, createdAtMs, createdBy]
  const isPlain = system.every((member) => member === undefined)
  return isPlain && named.length > 0 && named.every(isUnversioned)
}

async function perform(
  writing: Writing,
  loaded: Loaded,
  prepared: Prepared,
  plan: Plan,
): Promise<Written> {
  const { type, trx } = writing
  const before = loaded.entry
  const copy = await writeCopies(writing, loaded, plan)
  const entry = await writeRow(writing, loaded, prepared, plan)
  const { asDraft } = plan
  const tree = {
    parent: entry.parent,
    sortOrder: entry.sort_order,
    isMoved: entry.parent !== before.parent,
  }
  const others = await shareWithOthers(writing, {
    variants: loaded.variants,
    copies: loaded.copies.filter(({ entryNo }) => entryNo !== entry.no),
    own: entry,
    body: copy.body,
    asDraft,
    tree,
  })
  await relate(writing, loaded, plan, copy, asDraft)
  if (isMovedBelow(before, entry) || tree.isMoved) {
    await writing.tree.refreshBelow(trx, [...others, entry])
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

/** Content model §8: from one state to the other with as few rows as possible. */
async function writeCopies(writing: Writing, loaded: Loaded, plan: Plan): Promise<Copy> {
  const { trx, copies, nowMs } = writing
  const { work, live } = loaded
  const { from, goal, body } = plan
  const next: Copy = {
    ...work,
    body,
    live: goal === 'published',
    createdAtMs: plan.row.created_at,
    updatedAtMs: nowMs,
    publishedAtMs: plan.row.published_at,
    revisionId: plan.isBodyChanged ? await writing.takeNumber() : work.revisionId,
  }
  if (from === 'published' && goal === 'changed') {
    const was = { ...work, copyNo: next.revisionId, live: false }
    const split = { ...next, copyNo: next.revisionId }
    await copies.split(trx, work.copyNo, split.copyNo)
    await copies.save(trx, was, split)
    await setUnversioned(writing, { ...work, work: false }, plan)
    return split
  }
  if (from === 'changed' && live && goal !== 'changed') await copies.remove(trx, [live.copyNo])
  if (from === 'changed' && live && goal === 'changed') await setUnversioned(writing, live, plan)
  await copies.save(trx, work, next)
  return next
}

/** Unversioned values are the same in both copies, at once. */
async function setUnversioned({ trx, type, copies, nowMs }: Writing, live: Copy, plan: Plan) {
  if (plan.unversioned.length === 0) return
  const body = withAttributesOf(type, live.body, plan.body, isUnversioned)
  await copies.save(trx, live, { ...live, body, updatedAtMs: nowMs })
}

async function writeRow(
  writing: Writing,
  loaded: Loaded,
  { input }: Prepared,
  plan: Plan,
): Promise<Registered> {
  const { trx, actor, nowMs } = writing
  const { entry } = loaded
  const change = {
    ...plan.row,
    ...(await place(writing, loaded, plan)),
    has_live: plan.goal === 'draft' ? 0 : 1,
    changed: plan.goal === 'changed' ? 1 : 0,
    updated_at: nowMs,
    version: entry.version + 1,
    updated_by: actor.kind === 'system' ? entry.updated_by : actor.userId,
    ...(input.source === undefined ? {} : { source: input.source && JSON.stringify(input.source) }),
  }
  await changeRegistered(trx, [entry.no], change)
  return { ...entry, ...change }
}

/** The path follows the live copy, so that a draft with another slug leaves it as it is. */
async function place(writing: Writing, { entry, live }: Loaded, plan: Plan) {
  const { type } = writing
  const { id, locale, no, document_id: documentId } = entry
  const shown = plan.goal === 'changed' && live ? live.body : plan.body
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
    const before = replaced?.body.links.get(attribute.no) ?? []
    const added = (plan.body.links.get(attribute.no) ?? []).filter((link) => !before.includes(link))
    await releaseFromOthers(writing, attribute, added, documentId, asDraft)
  }
  const [first] = plan.inverse
  const revision = first && !plan.isBodyChanged ? await writing.takeNumber() : copy.revisionId
  for (const change of plan.inverse) {
    await writeInverse(writing, change, { documentId, revision, asDraft })
  }
}

function tell(writing: Writing, loaded: Loaded, plan: Plan, entry: Registered, copy: Copy) {
  const { type } = writing
  const { work } = loaded
  const isLive = entry.has_live === 1
  writing.touch(type.no)
  if (plan.unversioned.some(({ name }) => hasOwnEvent(type, name))) {
    writing.tell([stockEvent(type, work.body, copy.body, isLive)])
  }
  const actions = actionsOf(writing, loaded, plan)
  // This write made the live copy appear, change or go away (webhooks contract §3.1).
  const hasUnversioned = plan.unversioned.length > 0
  const isUnpublished = plan.from !== plan.goal && plan.goal === 'draft'
  const live = !plan.asDraft || isUnpublished || (hasUnversioned && isLive)
  const url = writing.urlOf(entry)
  const told = {
    type,
    entry,
    body: copy.body,
    actions,
    live,
    url,
  }
  writing.tell(eventsOf(told))
}

function actionsOf({ type }: Writing, { entry }: Loaded, plan: Plan): EntryAction[] {
  const { row } = plan
  const isOwnAlone = plan.unversioned.every(({ name }) => hasOwnEvent(type, name))
  const isUpdated =
    plan.isBodyChanged ||
    plan.inverse.length > 0 ||
    (plan.unversioned.length > 0 && !isOwnAlone) ||
    row.external_id !== entry.external_id ||
    row.parent !== entry.parent ||
    row.sort_order !== entry.sort_order ||
    row.is_root !== entry.is_root ||
    isOtherOrigin(row, entry) ||
    (plan.from === plan.goal && row.published_at !== entry.published_at)
  const actions: EntryAction[] = isUpdated ? ['updated'] : []
  if (plan.goal === 'published' && plan.from !== 'published') actions.push('published')
  if (plan.goal === 'draft' && plan.from !== 'draft') actions.push('unpublished')
  return actions
}
