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
