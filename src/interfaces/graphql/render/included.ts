import type { Entry, Included, MediaFile } from '#content'
import type { Include, Values } from '#content-query'
import type { Paging } from '../query/paging.ts'
import type { Picked } from '../query/picked.ts'
import { isCounted, type Page } from './pages.ts'

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
