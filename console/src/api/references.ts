import { type ContentType, type Entry, listEntries, titleOf } from './content.ts'
import type { MediaFile } from './media.ts'

/** Something an entry refers to, with what people call it. */
export interface Linked {
  readonly id: number
  readonly label: string
  readonly file?: MediaFile
}

export function toLinked(type: ContentType | undefined, entry: Entry): Linked {
  return { id: entry.id, label: titleOf(type, entry) }
}

export function isLinked(value: unknown): value is Linked[] {
  return (
    Array.isArray(value) && value.every((each) => typeof each?.id === 'number' && 'label' in each)
  )
}

/** The beginning of a list that is longer than an answer shows; what is not seen stays linked. */
export class Excerpt {
  readonly shown: readonly Linked[]
  readonly before: readonly number[]

  constructor(shown: readonly Linked[], before: readonly number[] = shown.map(({ id }) => id)) {
    this.shown = shown
    this.before = before
  }
}

export function linkedOf(value: unknown): readonly Linked[] {
  if (value instanceof Excerpt) return value.shown
  return isLinked(value) ? value : []
}

/** The same list with other links in sight. */
export function withLinked(value: unknown, linked: readonly Linked[]): unknown {
  return value instanceof Excerpt ? new Excerpt(linked, value.before) : linked
}

/** What was done to the part in sight; new ones go to the end unless the order was changed. */
export function linkChanges({ shown, before }: Excerpt) {
  const ids = shown.map(({ id }) => id)
  const kept = before.filter((id) => ids.includes(id))
  const same = ids.findIndex((id, index) => id !== kept[index])
  const others = same < 0 ? [] : ids.slice(same)
  const isMoved = others.some((id) => kept.includes(id))
  const connect = others.map((id, index) => {
    const previous = ids[same + index - 1]
    if (!isMoved) return id
    return { id, position: previous === undefined ? { start: true } : { after: previous } }
  })
  return { disconnect: before.filter((id) => !ids.includes(id)), connect }
}

const OFFERED = '20'

/** Twenty that have the words in their name; the newest when none are given. */
export async function findLinkable(type: ContentType, text: string): Promise<Linked[]> {
  const query = new URLSearchParams({
    cursor: '',
    per_page: OFFERED,
    sort: 'updated_at',
    order: 'desc',
  })
  if (type.draftAndPublish) query.set('status', 'all')
  const field = type.displayField
  if (text !== '' && field) query.set(`filters[${field}][$containsi]`, text)
  const { data } = await listEntries(type, query)
  return data.map((entry) => toLinked(type, entry))
}
