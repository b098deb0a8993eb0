import { breathe } from '../breathe.ts'
import type { Body } from './body.ts'
import { type Applicant, type Enrolled, enrollAll, LATER, type NewVariant } from './enroll.ts'
import type { EntryAction } from './event-names.ts'
import { eventsOf } from './events.ts'
import { findEarlier } from './find-earlier.ts'
import { type InverseChange, writeInverse } from './inverse.ts'
import { type Made, make, type NewEntry } from './make-entry.ts'
import { releaseFromOthers } from './owners.ts'
import type { Written } from './ports.ts'
import type { Prepared } from './prepare.ts'
import { findReferences } from './references.ts'
import { orRefuse, type Tried, trying } from './refusals.ts'
import { toEntry } from './render.ts'
import { shareWithOthers } from './share.ts'
import type { Copy } from './store/copies.ts'
import type { Registered } from './store/registry.ts'
import type { Writing } from './writing.ts'

export type Created = Tried<() => Written> | typeof LATER

interface Fresh extends Made {
  readonly row: Registered
  readonly copy: Copy
}

export async function create(writing: Writing, entry: NewEntry): Promise<() => Written> {
  const [created] = await createAll(writing, [entry])
  if (!created || created === LATER) throw new Error('an entry alone waits for nobody')
  return orRefuse(created)
}

/**
 * Makes one entry, or several plain ones with the same few statements. A refusal concerns its entry alone; what comes
 * later is to be made when this is written.
 */
export async function createAll(
  writing: Writing,
  entries: readonly NewEntry[],
): Promise<readonly Created[]> {
  const created = new Map<number, Created>(await findEarlier(writing, entries))
  const made: Made[] = []
  const inputs = entries.map(({ prepared }) => prepared.parsed)
  const references = await findReferences(writing, writing.type, inputs, writing.model)
  for (const [at, entry] of entries.entries()) {
    if (created.has(at)) continue
    const { prepared, options } = entry
    if (prepared.input.documentId !== undefined) await options.receipt?.keep(writing.tx)
    const tried = await trying(() => make(writing, entry, at, references))
    await letPass(writing, at)
    if ('value' in tried) made.push(tried.value)
    else created.set(at, tried)
  }
  const fresh: Fresh[] = []
  for (const [applicant, enrolled] of await enrollMade(writing, made)) {
    const { at } = applicant
    if (enrolled === LATER || 'refusal' in enrolled) {
      created.set(at, enrolled)
      continue
    }
    const { entry, body, sortOrder } = enrolled.value
    const copy = copyOf(applicant, entry, body)
    await entries[at]?.options.alongside?.(writing.tx, {
      ...{ id: entry.id, documentId: entry.document_id, changed: true },
      entry: () => toEntry(writing.type, entry, copy),
    })
    fresh.push({ ...applicant, row: entry, copy })
    const written = () => {
      const row = { ...entry, sort_order: sortOrder() }
      return { entry: toEntry(writing.type, row, copy), changed: true }
    }
    created.set(at, { value: written })
  }
  await write(writing, fresh)
  return entries.map((_, at) => created.get(at) ?? LATER)
}

type Numbered = Made & Applicant

async function enrollMade(
  writing: Writing,
  made: readonly Made[],
): Promise<readonly (readonly [Numbered, Tried<Enrolled> | typeof LATER])[]> {
  if (made.length === 0) return []
  const bodies = await writing.withPartIds(made.map(({ body }) => body))
  const numbers = await writing.takeNumbers(made.length)
  const applicants = made.map((each, at) => {
    const [body, own] = [bodies[at], numbers[at]]
    if (!body || !own) throw new Error('an entry got no numbers')
    return { ...each, body, numbers: own }
  })
  const enrolled = await enrollAll(writing, applicants)
  return applicants.map((applicant, at) => [applicant, enrolled[at] ?? LATER])
}

/** So many entries are dealt with before other requests have their turn. */
const BREATHER = 25

/** Only a plan of many lets others pass: whoever is alone is quick, and in a transaction everybody waits for it. */
async function letPass({ tx }: Writing, done: number) {
  if (tx.isPlan && done % BREATHER === BREATHER - 1) await breathe()
}

async function write(writing: Writing, fresh: readonly Fresh[]) {
  await writing.copies.insert(
    writing.trx,
    fresh.map(({ copy }) => copy),
  )
  for (const [done, { prepared, plan, inverse, row, copy }] of fresh.entries()) {
    await relate(writing, plan, copy, inverse)
    if (plan.others.length > 0) await joinOthers(writing, prepared, plan, copy, row)
    tell(writing, plan, row, copy)
    await letPass(writing, done)
  }
}

function copyOf({ plan, numbers }: Numbered, entry: Registered, body: Body): Copy {
  return {
    copyNo: numbers.copyNo,
    revisionId: numbers.copyNo,
    entryNo: entry.no,
    id: entry.id,
    documentId: plan.documentId,
    locale: plan.locale,
    live: plan.isLive,
    work: true,
    createdAtMs: entry.created_at,
    updatedAtMs: entry.updated_at,
    publishedAtMs: entry.published_at,
    known: new Map(),
    body,
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
  if (input.asItWas) return writing.tree.refreshBelow([entry])
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
