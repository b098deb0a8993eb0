import type { Entry } from '#content'
import { renderTime } from '#kernel'
import type { DeliverySettings } from '../deps.ts'
import { queryFault } from '../errors.ts'
import type { Delivered } from '../target/delivered.ts'
import type { Destinations } from './destinations.ts'
import type { RichTexts } from './rich-text.ts'

/** What items are rendered with. */
export interface View {
  readonly delivered: Delivered
  readonly settings: Pick<DeliverySettings, 'unexpandedMedia'>
  /** JSON. */
  routeOf(entry: Entry): string
  culturesOf(entry: Entry): string
  readonly links: Destinations
  readonly richTexts: RichTexts
  /** Called for every item; throws when the answer grows beyond measure. */
  count(): void
}

/** An answer of more is nobody's page: relations that lead back multiply with every level. */
const MOST_ITEMS = 50_000

export function createCount(expand: string): () => void {
  let left = MOST_ITEMS
  return () => {
    if (--left >= 0) return
    const from = { param: 'expand', value: expand }
    throw queryFault('Expand not valid', from, 0, `This shows more than ${MOST_ITEMS} items`)
  }
}

/** ISO 8601 in UTC; milliseconds only where there are some. */
export function renderDate(ms: number): string {
  const text = renderTime(ms)
  return ms % 1_000 === 0 ? `"${text.slice(0, -5)}Z"` : `"${text}"`
}
