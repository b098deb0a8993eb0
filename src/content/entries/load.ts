import { NeedsTransaction } from '#db'
import { notFound } from '#kernel'
import type { ContentModel, ContentType } from '../model.ts'
import type { EntryTarget } from './ports.ts'
import { stale } from './refusals.ts'
import type { Copies, Copy, Depth } from './store/copies.ts'
import { guardDocuments, lockDocument, lockDocumentOf, type Registered } from './store/registry.ts'
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
  const given = 'id' in target ? target : { documentId: target.documentId.toLowerCase() }
  const { variants, copies } = writing.tx.isPlan
    ? await readDocument(writing, given, depth)
    : { variants: await lock(writing, given), copies: undefined }
  const entry = variants.find((variant) => isTarget(variant, target, type, model))
  if (!entry || entry.type_no !== type.no) throw notFound()
  if (ifVersion !== undefined && ifVersion !== entry.version) throw stale()
  return copies
    ? loadedOf(writing, variants, entry, copies)
    : withCopies(writing, variants, entry, depth)
}

type DocumentTarget = Parameters<Copies['findDocument']>[1]

async function readDocument(writing: Writing, target: DocumentTarget, depth: Depth) {
  const found = await writing.copies.findDocument(writing.trx, target, depth)
  const [first] = found.variants
  if (first) guardDocuments(writing, [first.document_id], found.variants, 'update')
  return found
}

function lock(writing: Writing, target: DocumentTarget): Promise<Registered[]> {
  return 'id' in target
    ? lockDocumentOf(writing, writing.type.no, target.id)
    : lockDocument(writing, target.documentId)
}

export async function withCopies(
  writing: Writing,
  variants: readonly Registered[],
  entry: Registered,
  depth: Depth = 'whole',
): Promise<Loaded> {
  const nos = variants.map(({ no }) => no)
  return loadedOf(writing, variants, entry, await writing.copies.find(writing.trx, nos, depth))
}

function loadedOf(
  { tx }: Writing,
  variants: readonly Registered[],
  entry: Registered,
  copies: readonly Copy[],
): Loaded {
  const own = copies.filter(({ entryNo }) => entryNo === entry.no)
  const work = own.find((copy) => copy.work)
  // Gone since its row was read.
  if (!work && tx.isPlan) throw new NeedsTransaction()
  if (!work) throw new Error(`entry ${entry.no} has no working copy`)
  return { variants, entry, copies, work, live: own.find((copy) => copy.live) }
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
