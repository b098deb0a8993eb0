import type { EntryStatus } from '../entry.ts'
import { type Attribute, type ContentType, holdsComponents } from '../model.ts'
import { applyInput } from './apply.ts'
import { type Body, hasSameBody, isSameJson, withAttributesOf } from './body.ts'
import { checkGoingLive } from './going-live.ts'
import { createProblems, isNamed } from './input/parsed.ts'
import { type InverseChange, planInverse } from './inverse.ts'
import type { Loaded } from './load.ts'
import { parentsFor, spotOf } from './placing.ts'
import type { EntryInput, UpdateOptions } from './ports.ts'
import type { Prepared } from './prepare.ts'
import { findReferences } from './references.ts'
import { orRefuse, refuse } from './refusals.ts'
import { statusOf } from './render.ts'
import { isUnversioned } from './share.ts'
import type { Copy } from './store/copies.ts'
import type { Registered } from './store/registry.ts'
import { codesOf, withNames, withPartUids } from './unique-names.ts'
import type { Writing } from './writing.ts'

type Options = Pick<UpdateOptions, 'mode' | 'status'>

/** What a write makes of an entry, decided before anything is written. */
export interface Plan {
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
  /** What the live copy becomes that stays beside a draft; null when it keeps all but unversioned values. */
  readonly liveBody: Body | null
  readonly row: RowChange
  /** The entry was changed at another time than it says, as whoever brings it knows. */
  readonly isRedated: boolean
  /** What the write replaces is worth keeping. */
  readonly keepsRevision: boolean
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
  readonly publish_at: number | null
  readonly unpublish_at: number | null
  readonly schedule_fault: string | null
  readonly updated_at: number
}

/** Refuses what the input or the store forbid; nothing is written yet. */
export async function makePlan(
  writing: Writing,
  loaded: Loaded,
  prepared: Prepared,
  { mode = 'merge', status = 'keep' }: Options,
): Promise<Plan> {
  const { type, model } = writing
  const { entry, work } = loaded
  const { input, parsed, problems } = prepared
  const unknown = createProblems()
  const references = await findReferences(writing, type, [parsed], model)
  const faults = { problems, unknown }
  const keepsParts = input.components !== 'new'
  const context = { model, references, mode, isUpdate: true, keepsParts, ...faults }
  const applied = prepared.restored ?? applyInput(type, work.body, parsed, context)
  const inverse = await planInverse(writing, parsed, entry.document_id, references, faults)
  const from = statusOf(entry)
  const isOutside = status === 'keep' && from === 'changed' && namesOnlyOutside(type, prepared)
  const isBoth = status === 'both' && from === 'changed'
  const goal = isOutside || isBoth ? from : goalOf(type.draftAndPublish, from, status)
  if ((goal === 'published' || isBoth) && !input.asItWas) {
    // What is named goes live beside what is live already, whatever else is drafted.
    const before = isBoth ? 'published' : from
    await checkGoingLive(writing, loaded, applied, inverse, prepared, { mode, from: before })
  }
  const row = rowChange(writing, prepared, entry, goal, from)
  refuseBackwards(row, prepared)
  refuse(problems, unknown)
  const named = await completed(writing, loaded, applied, row)
  const [body = named] = await writing.withPartIds([named])
  const versioned = withAttributesOf(type, body, work.body, isUnversioned)
  const { live } = loaded
  const liveBody = isBoth && live ? liveWith(live.body) : null
  const isBodyChanged =
    !hasSameBody(versioned, work.body) || (liveBody !== null && !hasSameLive(type, liveBody, live))
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
    liveBody,
    row,
    isRedated: input.updatedAtMs !== undefined && row.updated_at !== entry.updated_at,
    keepsRevision: !input.asItWas,
  }

  /** The input put into what is live; uids and components, which have ids in all copies, as in the working copy. */
  function liveWith(before: Body): Body {
    const silent = { problems: createProblems(), unknown: createProblems() }
    const own = applyInput(type, before, parsed, { ...context, ...silent, mode: 'merge' })
    const isShared = (attribute: Attribute) =>
      isUnversioned(attribute) ||
      (isNamed(parsed, attribute) && (holdsComponents(attribute) || attribute.type === 'uid'))
    return withAttributesOf(type, own, body, isShared)
  }
}

/** Apart from what lies outside revisions. */
export function hasSameLive(type: ContentType, after: Body, live: Copy | undefined): boolean {
  return !live || hasSameBody(withAttributesOf(type, after, live.body, isUnversioned), live.body)
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
    updated_at: input.updatedAtMs ?? nowMs,
    ...scheduleAfter(type, input, entry, goal === from ? undefined : goal),
  }

  function publishedAt(): number | null {
    if (goal === 'draft') return null
    if (goal === 'changed') return entry.published_at
    return input.publishedAtMs ?? (from === 'published' ? entry.published_at : nowMs)
  }
}

/** A time is refused when it is given, not when it turns out to be one by what else happens. */
function refuseBackwards(row: RowChange, { input, problems }: Prepared) {
  const { publish_at, unpublish_at } = row
  // Of two that are given together the input alone tells it.
  if ((input.publishAtMs == null) === (input.unpublishAtMs == null)) return
  if (publish_at === null || unpublish_at === null || publish_at < unpublish_at) return
  problems.add(['unpublish_at'], 'min', 'must be later than publish_at')
}

/** What was done by hand need not be done again at its time; a complaint ends with a new time, too. */
function scheduleAfter(
  { draftAndPublish }: ContentType,
  { publishAtMs, unpublishAtMs }: EntryInput,
  entry: Registered,
  reached: EntryStatus | undefined,
) {
  if (!draftAndPublish) return { publish_at: null, unpublish_at: null, schedule_fault: null }
  const publishAt = reached === 'published' ? null : entry.publish_at
  const unpublishAt = reached === 'draft' ? null : entry.unpublish_at
  const isSettled =
    publishAtMs !== undefined || unpublishAtMs !== undefined || reached === 'published'
  return {
    publish_at: publishAtMs === undefined ? publishAt : publishAtMs,
    unpublish_at: unpublishAtMs === undefined ? unpublishAt : unpublishAtMs,
    schedule_fault: isSettled ? null : entry.schedule_fault,
  }
}

/** Values and times outside copies are changed without publishing what else has been drafted. */
function namesOnlyOutside({ attributes }: ContentType, { parsed, input }: Prepared): boolean {
  const named = attributes.filter((attribute) => isNamed(parsed, attribute))
  const { externalId, parent, sortOrder, isRoot, publishedAtMs, createdAtMs, createdBy } = input
  const system = [externalId, parent, sortOrder, isRoot, publishedAtMs, createdAtMs, createdBy]
  const isPlain = system.every((member) => member === undefined)
  const isTimed = input.publishAtMs !== undefined || input.unpublishAtMs !== undefined
  return isPlain && (named.length > 0 || isTimed) && named.every(isUnversioned)
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
  if (isComplete) return withPartUids(body)
  const [named] = await withNames(writing, [naming])
  return named ? orRefuse(named).body : body
}

export function isChange(plan: Plan, entry: Registered): boolean {
  return isContentChange(plan, entry) || isRescheduled(plan.row, entry)
}

export function isRescheduled(row: RowChange, entry: Registered): boolean {
  return (
    row.publish_at !== entry.publish_at ||
    row.unpublish_at !== entry.unpublish_at ||
    row.schedule_fault !== entry.schedule_fault
  )
}

/** Anything but the times at which the entry is published by itself, of which readers do not hear. */
export function isContentChange(plan: Plan, entry: Registered): boolean {
  const { row } = plan
  return (
    plan.isBodyChanged ||
    plan.unversioned.length > 0 ||
    plan.inverse.length > 0 ||
    plan.from !== plan.goal ||
    plan.isRedated ||
    row.external_id !== entry.external_id ||
    row.parent !== entry.parent ||
    row.sort_order !== entry.sort_order ||
    row.is_root !== entry.is_root ||
    row.published_at !== entry.published_at ||
    isOtherOrigin(row, entry)
  )
}

export function isOtherOrigin(row: RowChange, entry: Registered): boolean {
  return row.created_at !== entry.created_at || row.created_by !== entry.created_by
}
