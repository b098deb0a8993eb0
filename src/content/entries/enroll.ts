import { isPerLocale } from '../model.ts'
import { userOf } from '../system.ts'
import type { Body } from './body.ts'
import { languageOf } from './load.ts'
import { parentsFor, refusePath, type Spot, spotOf } from './placing.ts'
import type { EntryInput } from './ports.ts'
import { orRefuse, type Tried, taken, trying } from './refusals.ts'
import { guardFree, type Whose } from './store/names.ts'
import { forgetPaths } from './store/paths.ts'
import { findByExternalIds, type Registered, registerAll } from './store/registry.ts'
import { codesOf, slugIn, uniqueValues, whoseOf, withNames } from './unique-names.ts'
import type { EntryNumbers, Writing } from './writing.ts'

/** The entry that is to be made. */
export interface NewVariant {
  readonly documentId: string
  readonly locale: string
  /** The other variants of the document. */
  readonly others: readonly Registered[]
  readonly isLive: boolean
}

export interface Applicant {
  readonly input: EntryInput
  readonly plan: NewVariant
  readonly body: Body
  readonly numbers: EntryNumbers
}

export interface Enrolled {
  readonly entry: Registered
  readonly body: Body
  readonly sortOrder: () => number
}

/** It wants what another one of the same list gets: whether it may have it the store can tell afterwards. */
export const LATER = 'later'

interface Accepted {
  readonly applicant: Applicant
  readonly whose: Whose
  readonly row: Omit<Registered, 'sort_order'>
  readonly body: Body
  readonly hasFormer: boolean
  /** Where it goes among its siblings, if not last. */
  readonly sortOrder: number | undefined
}

/** Checks what must be unique, finds the places of the entries and registers them. */
export async function enrollAll(
  writing: Writing,
  applicants: readonly Applicant[],
): Promise<readonly (Tried<Enrolled> | typeof LATER)[]> {
  const externalIds = await takenExternalIds(writing, applicants)
  const asked: Asked[] = []
  for (const applicant of applicants) asked.push(await placing(writing, applicant, externalIds))
  const names = await withNames(
    writing,
    asked.map(({ naming }) => naming),
  )
  const wanted = new Set<string>()
  const found: (Tried<Accepted> | typeof LATER)[] = []
  for (const [at, each] of asked.entries()) {
    const named = names[at]
    const one = await trying(() => {
      if (!named) throw new Error('an entry was left out')
      const { body, taken: others } = orRefuse(named)
      return accept(writing, each, body, others)
    })
    const isFirst = !('value' in one) || claimAll(wanted, namesOf(writing, one.value))
    found.push(isFirst ? one : LATER)
  }
  const accepted = found.flatMap((one) => (one !== LATER && 'value' in one ? [one.value] : []))
  const sortOrder = await write(writing, accepted)
  return found.map((one) => {
    if (one === LATER || 'refusal' in one) return one
    const { row, body, sortOrder: given } = one.value
    const entry = { ...row, sort_order: given ?? 0 }
    return { value: { entry, body, sortOrder: () => given ?? sortOrder(row.no) } }
  })
}

type Asked = Awaited<ReturnType<typeof placing>>

async function placing(writing: Writing, applicant: Applicant, externalIds: ReadonlySet<string>) {
  const { input, plan, body, numbers } = applicant
  const { documentId, locale } = plan
  const parent = parentOf(input.parent, plan.others)
  const parents = await parentsFor(writing, parent, documentId, input.parent != null)
  const place = { locale, isRoot: input.isRoot === true, parents }
  const whose = { documentId, locale, locales: codesOf(writing.model), entryNo: null }
  const pathWith = (slug: string) => spotOf(writing, { ...place, slug }).path
  const isChecked = () => true
  const language = languageOf(writing.type, whose)
  const isTaken = input.externalId != null && externalIds.has(`${language} ${input.externalId}`)
  const refusal = isTaken ? taken(['externalId'], 'is already used') : undefined
  const naming = { body, old: undefined, id: numbers.id, whose, pathWith, isChecked, refusal }
  return { applicant, parent, place, naming }
}

/** Refuses a path that is taken. */
function accept(
  writing: Writing,
  { applicant, parent, place, naming }: Asked,
  body: Body,
  others: Parameters<typeof refusePath>[3] & { readonly former: Pick<ReadonlySet<string>, 'has'> },
): Accepted {
  const { input, plan, numbers } = applicant
  const { isRoot } = place
  const slug = slugIn(writing.type, body, numbers.id)
  const spot = spotOf(writing, { ...place, slug })
  refusePath(writing, spot, isRoot, others)
  const row = rowOf(writing, input, plan, { ...numbers, parent, isRoot, ...spot })
  const sortOrder = input.sortOrder ?? plan.others[0]?.sort_order
  const hasFormer = others.former.has(spot.path)
  return { applicant, whose: naming.whose, row, body, hasFormer, sortOrder }
}

/** Everything that only one of the entries can have. */
function namesOf({ type }: Writing, { row, body, whose }: Accepted): string[] {
  const values = uniqueValues(type, body).map(({ attribute, wanted }) => {
    const locale = isPerLocale(attribute) ? whose.locale : ''
    return `${attribute.no} ${locale} ${wanted[0]}`
  })
  const ofRow = [`path ${row.path}`]
  if (row.external_id !== null) ofRow.push(`external ${row.locale} ${row.external_id}`)
  return [...values, ...ofRow]
}

function claimAll(claimed: Set<string>, names: readonly string[]): boolean {
  if (names.some((name) => claimed.has(name))) return false
  for (const name of names) claimed.add(name)
  return true
}

/** Answers what place among its siblings the entry of a number got. */
async function write(writing: Writing, accepted: readonly Accepted[]) {
  const { type } = writing
  for (const group of Map.groupBy(accepted, ({ row }) => row.locale).values()) {
    const [first] = group
    if (!first) continue
    const values = Map.groupBy(
      group.flatMap(({ body }) => uniqueValues(type, body)),
      ({ attribute }) => attribute,
    )
    const asked = {
      values: [...values].map(([attribute, list]) => ({
        attribute,
        wanted: list.flatMap(({ wanted }) => wanted),
      })),
      paths: group.flatMap(({ row }) => row.path ?? []),
    }
    guardFree(writing, type, asked, whoseOf(first.whose, group.length))
  }
  const former = accepted.filter(({ hasFormer }) => hasFormer)
  await forgetPaths(
    writing,
    former.flatMap(({ row: { locale, path } }) => (path === null ? [] : [{ locale, path }])),
  )
  return registerAll(writing, accepted)
}

interface Place extends Spot {
  readonly id: number
  readonly no: number
  readonly parent: string | null
  readonly isRoot: boolean
}

function rowOf(
  writing: Writing,
  input: EntryInput,
  plan: NewVariant,
  { id, no, parent, isRoot, path, ancestorsLive }: Place,
): Omit<Registered, 'sort_order'> {
  const { type, actor, nowMs } = writing
  const { documentId, locale } = plan
  const userId = userOf(actor)
  const createdBy = input.createdBy === undefined ? userId : input.createdBy
  return {
    no,
    type_no: type.no,
    id,
    document_id: documentId,
    locale,
    created_at: input.createdAtMs ?? nowMs,
    updated_at: input.updatedAtMs ?? nowMs,
    published_at: publishedAt(writing, plan, input.publishedAtMs),
    has_live: plan.isLive ? 1 : 0,
    changed: 0,
    parent,
    is_root: isRoot ? 1 : 0,
    path,
    ancestors_live: ancestorsLive ? 1 : 0,
    version: 1,
    created_by: createdBy,
    updated_by: userId,
    external_id: input.externalId ?? null,
    source: input.source ? JSON.stringify(input.source) : null,
    revised_at: null,
    revised_by: null,
    scraped: input.source ? 1 : 0,
    publish_at: type.draftAndPublish ? (input.publishAtMs ?? null) : null,
    unpublish_at: type.draftAndPublish ? (input.unpublishAtMs ?? null) : null,
    schedule_fault: null,
    events: null,
  }
}

function parentOf(given: string | null | undefined, others: readonly Registered[]): string | null {
  if (given !== undefined) return given?.toLowerCase() ?? null
  return others[0]?.parent ?? null
}

/**
 * Those of the external ids that others have, each behind its language. A first plan leaves it to the unique index,
 * which does not know what is stored with another locale.
 */
async function takenExternalIds(
  writing: Writing,
  applicants: readonly Pick<Applicant, 'input' | 'plan'>[],
): Promise<ReadonlySet<string>> {
  const ids = applicants.flatMap(({ input }) => input.externalId ?? [])
  if (ids.length === 0 || (writing.isHopeful && !writing.type.hasStrayLocales)) return new Set()
  const rows = await findByExternalIds(writing, writing.type.no, ids)
  return new Set(rows.map((row) => `${languageOf(writing.type, row)} ${row.external_id}`))
}

function publishedAt({ type, nowMs }: Writing, { isLive }: NewVariant, given: number | undefined) {
  return type.draftAndPublish && isLive ? (given ?? nowMs) : null
}
