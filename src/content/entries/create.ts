import type { Attribute } from '../model.ts'
import { applyInput } from './apply.ts'
import { type Body, withAttributesOf } from './body.ts'
import { checkLive } from './check-live.ts'
import { enroll, type NewVariant } from './enroll.ts'
import type { EntryAction } from './event-names.ts'
import { eventsOf } from './events.ts'
import { createProblems, isNamed, type ParsedBody } from './input/parsed.ts'
import { type InverseChange, planInverse, writeInverse } from './inverse.ts'
import { isInLocale, localeOf, withCopies } from './load.ts'
import { releaseFromOthers } from './owners.ts'
import type { CreateOptions, Written } from './ports.ts'
import type { Prepared } from './prepare.ts'
import { findReferences } from './references.ts'
import { localeExists, refuse, taken } from './refusals.ts'
import { toEntry } from './render.ts'
import { shareWithOthers } from './share.ts'
import type { Copy } from './store/copies.ts'
import { findOfType, lockDocument, type Registered } from './store/registry.ts'
import type { Writing } from './writing.ts'

export async function create(
  writing: Writing,
  prepared: Prepared,
  { status, onceId, receipt }: Pick<CreateOptions, 'status' | 'onceId' | 'receipt'>,
): Promise<() => Written> {
  const { type } = writing
  const { documentId: chosen } = prepared.input
  const ownId = chosen === undefined ? onceId : receipt?.isThere ? chosen.toLowerCase() : undefined
  const earlier = ownId && (await findEarlier(writing, prepared, ownId))
  if (earlier) return () => earlier
  if (chosen !== undefined) await receipt?.keep(writing.tx)
  const plan = {
    ...(await findDocument(writing, prepared, onceId)),
    isLive: !type.draftAndPublish || status !== 'draft',
  }
  const { body: applied, inverse } = await makeBody(writing, prepared, plan)
  const { copyNo, ...numbers } = await writing.takeNumbers()
  const row = await enroll(writing, prepared, plan, applied, numbers)
  const copy: Copy = {
    ...systemOf(writing, plan, row.entry),
    copyNo,
    revisionId: copyNo,
    body: row.body,
  }
  await writing.copies.insert(writing.trx, copy)
  await relate(writing, plan, copy, inverse)
  if (plan.others.length > 0) await joinOthers(writing, prepared, plan, copy, row.entry)
  tell(writing, plan, row.entry, copy)
  return () => {
    const entry = { ...row.entry, sort_order: row.sortOrder() }
    return { entry: toEntry(type, entry, copy), changed: true }
  }
}

/** What an earlier try of the same request has made; a unique index finds it, too. */
async function findEarlier(
  writing: Writing,
  { input }: Prepared,
  ownId: string,
): Promise<Written | undefined> {
  const { type, model, isHopeful } = writing
  if (isHopeful && input.documentId === undefined) return undefined
  const variants = await lockDocument(writing, ownId)
  const locale = localeOf(type, input.locale, model)
  const entry = variants.find((row) => row.type_no === type.no && isInLocale(type, row, locale))
  if (!entry) return undefined
  const { work } = await withCopies(writing, variants, entry)
  // The earlier try may have ended before it could tell.
  writing.touch(type.no)
  return { entry: toEntry(type, entry, work), changed: true }
}

/** A new document, or one that exists and gets a translation. */
async function findDocument(
  writing: Writing,
  { input, problems }: Prepared,
  onceId: string | undefined,
) {
  const { type, model } = writing
  const locale = localeOf(type, input.locale, model)
  if (locale === undefined) problems.add(['locale'], 'locale', 'is not a known locale')
  refuse(problems)
  const given = input.documentId?.toLowerCase()
  const single = type.kind === 'singleType' && !given ? await findOfType(writing, type.no) : []
  const others = given ? await lockDocument(writing, given) : single
  const documentId = others[0]?.document_id ?? given ?? onceId ?? writing.newDocumentId()
  if (others.some((other) => other.type_no !== type.no)) {
    throw taken(['documentId'], 'belongs to an entry of another type')
  }
  if (others.some((other) => isInLocale(type, other, locale))) {
    throw type.localized ? localeExists(locale ?? '') : taken(['documentId'], 'exists already')
  }
  return { documentId, locale: locale ?? '', others }
}

async function makeBody(writing: Writing, { parsed, problems }: Prepared, plan: NewVariant) {
  const { type, model } = writing
  const unknown = createProblems()
  const references = await findReferences(writing, type, parsed, model)
  const faults = { problems, unknown }
  const context = { model, references, mode: 'replace', isUpdate: false, ...faults } as const
  const applied = applyInput(type, undefined, parsed, context)
  const inverse = await planInverse(writing, parsed, plan.documentId, references, faults)
  const body = await withShared(writing, applied, plan, parsed)
  if (plan.isLive) {
    const hasInverse = ({ no }: Attribute) =>
      inverse.some(({ attribute, wanted }) => attribute.no === no && wanted.length > 0)
    checkLive(type, body, { problems, isChecked: () => true, hasInverse })
  }
  refuse(problems, unknown)
  return { body: await writing.withPartIds(body), inverse }
}

/** A translation begins with what the document's variants share. */
async function withShared(
  writing: Writing,
  body: Body,
  { others }: NewVariant,
  parsed: ParsedBody,
): Promise<Body> {
  const [first] = others
  if (!first) return body
  const { work } = await withCopies(writing, [first], first)
  return withAttributesOf(
    writing.type,
    body,
    work.body,
    (attribute) => (attribute.unversioned || !attribute.localized) && !isNamed(parsed, attribute),
  )
}

function systemOf({ nowMs }: Writing, plan: NewVariant, entry: Registered) {
  return {
    entryNo: entry.no,
    id: entry.id,
    documentId: plan.documentId,
    locale: plan.locale,
    live: plan.isLive,
    work: true,
    createdAtMs: entry.created_at,
    updatedAtMs: nowMs,
    publishedAtMs: entry.published_at,
    known: new Map<string, number>(),
  }
}

async function relate(
  writing: Writing,
  { documentId, isLive }: NewVariant,
  copy: Copy,
  inverse: readonly InverseChange[],
) {
  for (const attribute of writing.type.attributes) {
    if (attribute.type !== 'relation') continue
    const targets = copy.body.links.get(attribute.no) ?? []
    await releaseFromOthers(writing, attribute, targets, documentId, !isLive)
  }
  for (const change of inverse) {
    const how = { documentId, revision: copy.revisionId, asDraft: !isLive }
    await writeInverse(writing, change, how)
  }
}

/** What the new variant shares with the others becomes theirs; what hangs below may now be its. */
async function joinOthers(
  writing: Writing,
  { input }: Prepared,
  { others, isLive }: NewVariant,
  copy: Copy,
  entry: Registered,
) {
  const rows = await shareWithOthers(writing, {
    variants: [...others, entry],
    copies: await writing.copies.find(
      writing.trx,
      others.map(({ no }) => no),
    ),
    own: entry,
    body: copy.body,
    asDraft: !isLive,
    tree: {
      parent: entry.parent,
      sortOrder: entry.sort_order,
      isMoved: input.parent !== undefined,
    },
  })
  await writing.tree.refreshBelow([...rows, entry])
}

function tell(writing: Writing, { isLive }: NewVariant, entry: Registered, copy: Copy) {
  const { type } = writing
  const actions: EntryAction[] =
    isLive && type.draftAndPublish ? ['created', 'published'] : ['created']
  const url = writing.urlOf(entry)
  writing.tell(eventsOf({ type, entry, body: copy.body, actions, live: isLive, url }))
  writing.touch(type.no)
}
