import { isDeepStrictEqual } from 'node:util'
import { idOf } from './ids.ts'
import type { PairedType } from './pairing.ts'
import type { SourceEntry } from './read.ts'
import type { Json } from './schema.ts'
import type { Translation } from './translate.ts'

/** As `POST /api/v1/content-types/{name}/import` takes them. */
export interface ImportRecord {
  readonly document_id: string
  readonly locale?: string
  readonly external_id: string
  readonly created_at?: string
  readonly live?: Copy | null
  readonly working?: Copy
}

interface Copy {
  readonly values: Json
  readonly updated_at?: string
  readonly published_at?: string
}

/** An entry with this time is not whole yet: a later step of the import writes it. */
export const NOT_WHOLE = '1970-01-01T00:00:00.000Z'

/** So that others can lead to the document: its own values, not shown to anybody where there are drafts. */
export function toBare(
  { pairs }: PairedType,
  locale: string | null,
  record: Json,
  { scalars }: Translation,
): ImportRecord {
  return {
    ...head(record, locale),
    working: { values: scalars(pairs, record), updated_at: NOT_WHOLE },
  }
}

/** The entry as it was, with its live and its working copy where they differ. */
export function toWhole(
  { pairs, hasDrafts }: PairedType,
  locale: string | null,
  { working, live }: SourceEntry,
  { whole, shown }: Translation,
): ImportRecord {
  const drafted = { values: whole(pairs, working), ...updatedAt(working) }
  if (!hasDrafts) return { ...head(working, locale), working: drafted }
  if (!live) return { ...head(working, locale), live: null, working: drafted }
  const published = publishedAt(live)
  const isSame = isDeepStrictEqual(shown(pairs, working), whole(pairs, live))
  // What a draft links to and what is not live itself is not shown here either.
  if (isSame)
    return { ...head(working, locale), live: { ...drafted, ...updatedAt(live), ...published } }
  const seen = { values: whole(pairs, live), ...updatedAt(live), ...published }
  return { ...head(working, locale), live: seen, working: drafted }
}

/** When the entry is whole its times are these. */
export function timesOf({ live, working }: ImportRecord): { updated?: string; published?: string } {
  const updated = (working ?? live)?.updated_at
  const published = live?.published_at
  return { ...(updated ? { updated } : {}), ...(published ? { published } : {}) }
}

function head(record: Json, locale: string | null) {
  const { documentId, createdAt } = record
  return {
    document_id: idOf(String(documentId)),
    external_id: String(documentId),
    ...(locale === null ? {} : { locale }),
    ...(typeof createdAt === 'string' ? { created_at: createdAt } : {}),
  }
}

function updatedAt({ updatedAt: time }: Json) {
  return typeof time === 'string' ? { updated_at: time } : {}
}

function publishedAt({ publishedAt: time }: Json) {
  return typeof time === 'string' ? { published_at: time } : {}
}
