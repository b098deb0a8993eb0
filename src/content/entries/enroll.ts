import type { Body } from './body.ts'
import { parentsFor, refusePath, type Spot, spotOf } from './placing.ts'
import type { EntryInput } from './ports.ts'
import type { Prepared } from './prepare.ts'
import { taken } from './refusals.ts'
import { guardFree } from './store/names.ts'
import { forgetPaths } from './store/paths.ts'
import { findByExternalId, type Registered, register } from './store/registry.ts'
import { codesOf, slugIn, uniqueValues, withNames } from './unique-names.ts'
import type { Writing } from './writing.ts'

/** The entry that is to be made. */
export interface NewVariant {
  readonly documentId: string
  readonly locale: string
  /** The other variants of the document. */
  readonly others: readonly Registered[]
  readonly isLive: boolean
}

/** Checks what must be unique, finds the entry's place and registers it. */
export async function enroll(
  writing: Writing,
  { input }: Prepared,
  plan: NewVariant,
  applied: Body,
  { id, no }: { readonly id: number; readonly no: number },
): Promise<{ entry: Registered; body: Body; sortOrder: () => number }> {
  const { trx, type, model } = writing
  const { documentId, locale } = plan
  const parent = parentOf(input.parent, plan.others)
  const parents = await parentsFor(writing, parent, documentId, input.parent != null)
  const isRoot = input.isRoot === true
  const asked = { locale, isRoot, parents }
  const whose = { documentId, locale, locales: codesOf(model), entryNo: null }
  const pathWith = (slug: string) => spotOf(writing, { ...asked, slug }).path
  const naming = { body: applied, old: undefined, id, whose, pathWith, isChecked: () => true }
  const { body, taken: found } = await withNames(writing, naming)
  await refuseExternalId(writing, input.externalId ?? null, locale)
  const spot = spotOf(writing, { ...asked, slug: slugIn(type, body, id) })
  refusePath(writing, spot, isRoot, found)
  guardFree(writing, type, { values: uniqueValues(type, body), paths: [spot.path] }, whose)
  if (found.former.has(spot.path)) await forgetPaths(trx, [{ locale, path: spot.path }])
  const row = rowOf(writing, input, plan, { id, no, parent, isRoot, ...spot })
  const given = input.sortOrder ?? plan.others[0]?.sort_order
  const sortOrder = await register(writing, row, given)
  return { entry: { ...row, sort_order: given ?? 0 }, body, sortOrder }
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
  const userId = actor.kind === 'system' ? null : actor.userId
  const createdBy = input.createdBy === undefined ? userId : input.createdBy
  return {
    no,
    type_no: type.no,
    id,
    document_id: documentId,
    locale,
    created_at: input.createdAtMs ?? nowMs,
    updated_at: nowMs,
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
  }
}

function parentOf(given: string | null | undefined, others: readonly Registered[]): string | null {
  if (given !== undefined) return given?.toLowerCase() ?? null
  return others[0]?.parent ?? null
}

export async function refuseExternalId(
  writing: Writing,
  externalId: string | null,
  locale: string,
  ownNo?: number,
) {
  const { trx, type, model } = writing
  // A unique index finds it, too, unless the other one is stored with another locale.
  if (externalId === null || (writing.isHopeful && !type.hasStrayLocales)) return
  const locales = type.hasStrayLocales ? codesOf(model) : [locale]
  const other = await findByExternalId(trx, type.no, externalId, locales)
  if (other && other.no !== ownNo) throw taken(['externalId'], 'is already used')
}

function publishedAt({ type, nowMs }: Writing, { isLive }: NewVariant, given: number | undefined) {
  return type.draftAndPublish && isLive ? (given ?? nowMs) : null
}
