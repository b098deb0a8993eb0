import { NeedsTransaction } from '#db'
import type { Created } from './create.ts'
import { isInLocale, localeOf } from './load.ts'
import type { NewEntry } from './make-entry.ts'
import { toEntry } from './render.ts'
import { lockDocuments } from './store/registry.ts'
import type { Writing } from './writing.ts'

/**
 * What an earlier try of the same request has made, by the places of the entries.
 */
export async function findEarlier(
  writing: Writing,
  entries: readonly NewEntry[],
): Promise<readonly (readonly [number, Created])[]> {
  const { type, model, trx } = writing
  const tries = new Map<string, number>()
  for (const [at, entry] of entries.entries()) {
    const ownId = ownIdOf(writing, entry)
    if (ownId !== undefined) tries.set(ownId, at)
  }
  if (tries.size === 0) return []
  const variants = await lockDocuments(writing, [...tries.keys()])
  const rows = variants.flatMap((row) => {
    const at = tries.get(row.document_id)
    const input = at === undefined ? undefined : entries[at]?.prepared.input
    const locale = localeOf(type, input?.locale, model)
    const isSame = row.type_no === type.no && isInLocale(type, row, locale)
    return at !== undefined && isSame ? [{ at, row }] : []
  })
  if (rows.length === 0) return []
  const copies = await writing.copies.find(
    trx,
    rows.map(({ row }) => row.no),
  )
  const works = new Map(copies.filter(({ work }) => work).map((copy) => [copy.entryNo, copy]))
  // The earlier try may have ended before it could tell.
  writing.touch(type.no)
  return rows.map(({ at, row }) => {
    const work = works.get(row.no)
    // Gone since its row was read.
    if (!work) throw new NeedsTransaction()
    const written = { entry: toEntry(type, row, work), changed: true }
    return [at, { value: () => written }]
  })
}

/** The document that an earlier try would have made; a first plan leaves new ones to the unique index. */
function ownIdOf({ isHopeful }: Writing, { prepared, options }: NewEntry): string | undefined {
  const { documentId: chosen } = prepared.input
  if (chosen !== undefined) return options.receipt?.isThere ? chosen.toLowerCase() : undefined
  return isHopeful ? undefined : options.onceId
}
