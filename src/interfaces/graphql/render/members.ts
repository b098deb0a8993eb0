import {
  type Entry,
  type Included,
  type JsonValue,
  type MediaFile,
  type WireKind,
  wireKindOf,
} from '#content'
import type { ContentType, ScalarAttribute } from '#content-model'
import type { Include, Values } from '#content-query'
import { renderTime } from '#kernel'
import type { Paging } from '../query/paging.ts'
import type { Picked } from '../query/picked.ts'
import type { Member } from '../schema/meaning.ts'
import { enumNames } from '../schema/values.ts'
import { globalId } from '../target.ts'
import { isCounted, type Page } from './pages.ts'
import type { Write } from './writing.ts'

/** What entries have beside their attributes. */
export function memberOf(type: ContentType, name: Member): Write<Entry> {
  switch (name) {
    case 'id':
      return ({ id }) => `"${id}"`
    case 'globalId':
      return ({ id }) => `"${globalId(type, id)}"`
    case 'databaseId':
      return ({ id }) => String(id)
    case 'documentId':
      return ({ documentId }) => `"${documentId}"`
    case 'createdAt':
      return ({ createdAtMs }) => timeText(createdAtMs)
    case 'updatedAt':
      return ({ updatedAtMs }) => timeText(updatedAtMs)
    case 'publishedAt':
      return ({ publishedAtMs }) => (publishedAtMs === null ? null : timeText(publishedAtMs))
    case 'locale':
      return ({ locale }) => (locale === null ? null : JSON.stringify(locale))
  }
}

function timeText(ms: number): string {
  return `"${renderTime(ms)}"`
}

/** What was loaded with an entry where it refers to one thing. */
export function toItem(found: Included | undefined): Entry | MediaFile | null {
  if (found?.kind === 'entry') return found.entry
  return found?.kind === 'file' ? found.file : null
}

/** Which piece of a list is loaded with each entry. */
export function pieceOf(paging: Paging, picked: readonly Picked[]): Partial<Include> {
  if (paging.kind === 'walked') return { between: paging.between, count: isCounted(picked) }
  const { page } = paging
  const numbers = { start: page.map(({ start }) => start), limit: page.map(({ limit }) => limit) }
  return { ...numbers, count: isCounted(picked) || hasEnds(picked) }
}

/** Whether there is more behind a numbered piece is told by the length of its list. */
function hasEnds(picked: readonly Picked[]): boolean {
  return picked.some(({ meaning }) => meaning?.of === 'page' && meaning.name === 'hasNextPage')
}

/** What was loaded with an entry as a page of its list. */
export function pageOf(paging: Paging) {
  return (found: Included | undefined, values: Values): Page<Entry | MediaFile> => {
    const items =
      found?.kind === 'entries' ? found.entries : found?.kind === 'files' ? found.files : []
    const list = found?.kind === 'entries' || found?.kind === 'files' ? found : undefined
    const total = list?.total ?? 0
    const { start, limit } =
      paging.kind === 'numbered' ? paging.page.of(values) : { start: 0, limit: items.length }
    const walked = list?.walked
    return {
      ...{ items, total, start, limit },
      hasMore: walked?.hasMore ?? start + limit < total,
      hasPrevious: walked?.hasPrevious ?? start > 0,
      positionAt: (index) => walked?.positions[index] ?? [],
    }
  }
}

type Render = (value: Exclude<JsonValue, null>) => string

const plain: Render = (value) => JSON.stringify(value)

/** Contract §4: what of a value is not written as the store has it. */
const RENDER: Readonly<Record<WireKind, Render>> = {
  text: plain,
  markup: plain,
  blocks: plain,
  secret: () => 'null',
  integer: plain,
  bigInteger: (value) => (Number.isSafeInteger(Number(value)) ? String(value) : plain(value)),
  decimal: plain,
  float: plain,
  boolean: plain,
  date: plain,
  time: plain,
  datetime: plain,
  json: plain,
  words: plain,
  link: plain,
}

/** How values of an attribute are written; null where there is none. */
export function renderValueOf(attribute: ScalarAttribute) {
  const render =
    attribute.type === 'enumeration' ? renderChoice(attribute.enum) : RENDER[wireKindOf(attribute)]
  return (value: JsonValue | undefined): string | null =>
    value === null || value === undefined ? null : render(value)
}

/** A choice that was removed from the attribute has no name any more. */
function renderChoice(choices: readonly string[]): Render {
  const names = enumNames(choices)
  return (value) => {
    const name = names.get(String(value))
    return name === undefined ? 'null' : `"${name}"`
  }
}
