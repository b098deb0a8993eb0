import { NeedsTransaction } from '#db'
import { notFound } from '#kernel'
import type { ContentModel, ContentType } from '../model.ts'
import type { EntryTarget } from './ports.ts'
import { stale } from './refusals.ts'
import type { Copy, Depth } from './store/copies.ts'
import { lockDocument, lockDocumentOf, type Registered } from './store/registry.ts'
import type { Writing } from './writing.ts'

/** A document, locked, with the variant that is written and all copies. */
export interface Loaded {
  readonly variants: readonly Registered[]
  readonly entry: Registered
  /** Of all variants. */
  readonly copies: readonly Copy[]
  readonly work: Copy
  /** The same copy as `work` when nothing newer exists. */
  readonly live: Copy | undefined
}

/** Refuses what does not exist, and another version than the caller has seen. */
export async function load(
  writing: Writing,
  target: EntryTarget,
  ifVersion: number | undefined,
  depth: Depth = 'whole',
): Promise<Loaded> {
  const { type, model } = writing
  const variants =
    'id' in target
      ? await lockDocumentOf(writing, type.no, target.id)
      : await lockDocument(writing, target.documentId.toLowerCase())
  const entry = variants.find((variant) => isTarget(variant, target, type, model))
  if (!entry || entry.type_no !== type.no) throw notFound()
  if (ifVersion !== undefined && ifVersion !== entry.version) throw stale()
  return withCopies(writing, variants, entry, depth)
}

export async function withCopies(
  { tx, trx, copies }: Writing,
  variants: readonly Registered[],
  entry: Registered,
  depth: Depth = 'whole',
): Promise<Loaded> {
  const all = await copies.find(
    trx,
    variants.map(({ no }) => no),
    depth,
  )
  const own = all.filter(({ entryNo }) => entryNo === entry.no)
  const work = own.find((copy) => copy.work)
  // Gone since its row was read.
  if (!work && tx.isPlan) throw new NeedsTransaction()
  if (!work) throw new Error(`entry ${entry.no} has no working copy`)
  return { variants, entry, copies: all, work, live: own.find((copy) => copy.live) }
}

function isTarget(
  variant: Registered,
  target: EntryTarget,
  type: ContentType,
  model: ContentModel,
): boolean {
  if ('id' in target) return variant.id === target.id
  return isInLocale(type, variant, localeOf(type, target.locale, model))
}

/** What has no languages has one variant, whatever it is stored with while the type is being changed. */
export function isInLocale(
  { localized }: ContentType,
  variant: Pick<Registered, 'locale'>,
  locale: string | undefined,
): boolean {
  return !localized || variant.locale === locale
}

/** What tells variants apart: what has no languages has one, whatever it is stored with. */
export function languageOf({ localized }: ContentType, { locale }: Pick<Registered, 'locale'>) {
  return localized ? locale : ''
}

/** The code as stored; undefined when there is no such locale. */
export function localeOf(
  type: ContentType,
  code: string | null | undefined,
  model: ContentModel,
): string | undefined {
  if (!type.localized) return type.changing?.locale ?? ''
  return code == null ? model.defaultLocale : model.findLocale(code)?.code
}
