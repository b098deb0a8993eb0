import { type Attribute, type ContentType, isExclusive } from '../model.ts'
import { levelOf, requireMay } from '../permissions.ts'
import { applyInput } from './apply.ts'
import { type Body, withAttributesOf } from './body.ts'
import { checkLive } from './check-live.ts'
import type { Applicant, NewVariant } from './enroll.ts'
import { createProblems, isNamed, type ParsedBody } from './input/parsed.ts'
import { type InverseChange, planInverse } from './inverse.ts'
import { isInLocale, localeOf, withCopies } from './load.ts'
import type { CreateOptions } from './ports.ts'
import type { Prepared } from './prepare.ts'
import type { References } from './references.ts'
import { localeExists, refuse, taken } from './refusals.ts'
import { findOfType, lockDocument } from './store/registry.ts'
import type { Writing } from './writing.ts'

/** One of the entries to be made. */
export interface NewEntry {
  readonly prepared: Prepared
  readonly options: Pick<CreateOptions, 'status' | 'onceId' | 'receipt' | 'alongside'>
}

/** What is known of an entry before it has its numbers. */
export interface Made extends Omit<Applicant, 'numbers'> {
  /** Its place in the list. */
  readonly at: number
  readonly prepared: Prepared
  readonly inverse: readonly InverseChange[]
}

export function isLive({ draftAndPublish }: ContentType, status: CreateOptions['status']): boolean {
  return !draftAndPublish || status !== 'draft'
}

/** Whether the entry can be planned beside others: nothing of it belongs to another document. */
export function isPlain(type: ContentType, { input, parsed }: Prepared): boolean {
  if (type.kind === 'singleType' || input.documentId !== undefined) return false
  if (input.parent != null || input.isRoot === true) return false
  return type.attributes.every((attribute) => {
    if (attribute.type !== 'relation' || !parsed.relations.has(attribute.no)) return true
    return attribute.side === 'owning' && !isExclusive(attribute)
  })
}

/** Refuses what the input or the store forbid. */
export async function make(
  writing: Writing,
  { prepared, options: { status, onceId } }: NewEntry,
  at: number,
  references: References,
): Promise<Made> {
  const plan = {
    ...(await findDocument(writing, prepared, onceId)),
    isLive: isLive(writing.type, status),
  }
  const { body, inverse } = await makeBody(writing, prepared, plan, references)
  return { at, prepared, input: prepared.input, plan, body, inverse }
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
  const single = type.kind === 'singleType' ? await findOfType(writing, type.no) : []
  const others = given ? await lockDocument(writing, given) : single
  // A further language changes what its document is, and shared values with it.
  if (others.length > 0) requireMay(levelOf(writing.actor), type, 'update')
  const documentId = others[0]?.document_id ?? given ?? onceId ?? writing.newDocumentId()
  if (others.some((other) => other.type_no !== type.no)) {
    throw taken(['documentId'], 'belongs to an entry of another type')
  }
  const only = single[0]?.document_id
  if (given && only && only !== given) {
    throw taken(['documentId'], `must be ${only}: of ${type.singularName} there is one document`)
  }
  if (others.some((other) => isInLocale(type, other, locale))) {
    throw type.localized ? localeExists(locale ?? '') : taken(['documentId'], 'exists already')
  }
  return { documentId, locale: locale ?? '', others }
}

async function makeBody(
  writing: Writing,
  { input, parsed, problems }: Prepared,
  plan: NewVariant,
  references: References,
) {
  const { type, model } = writing
  const unknown = createProblems()
  const faults = { problems, unknown }
  const made = { mode: 'replace', isUpdate: false, keepsParts: false } as const
  const context = { model, references, ...made, ...faults }
  const applied = applyInput(type, undefined, parsed, context)
  const inverse = await planInverse(writing, parsed, plan.documentId, references, faults)
  const body = await withShared(writing, applied, plan, parsed)
  if (plan.isLive && !input.asItWas) {
    const hasInverse = ({ no }: Attribute) =>
      inverse.some(({ attribute, wanted }) => attribute.no === no && wanted.length > 0)
    checkLive(type, body, { problems, isChecked: () => true, hasInverse })
  }
  refuse(problems, unknown)
  return { body, inverse }
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
