import type { ContentModel } from '../model.ts'
import { chosenLocales } from '../query/locales.ts'
import type { SpotRow } from './store.ts'
import type { RoutedEntry, TreeView } from './words.ts'

/** A row of the registry whose type exists for the view. */
export interface Spot extends RoutedEntry {
  readonly no: number
}

/**
 * What a view shows of rows: of each document the variant in the first of its languages, of types
 * that exist. Documents without a language are always shown.
 */
export function shownSpots<Row extends SpotRow>(
  model: ContentModel,
  view: TreeView,
  rows: readonly Row[],
): readonly (Spot & { readonly row: Row })[] {
  const codes = chosenLocales(model, { localized: true }, view.locale)
  const rank = ({ locale, type_no }: SpotRow) =>
    codes !== null && model.typeByNo(type_no)?.localized ? codes.indexOf(locale) : 0
  const best = new Map<string, Row>()
  for (const row of rows) {
    const known = best.get(row.document_id)
    if (rank(row) >= 0 && (!known || rank(row) < rank(known))) best.set(row.document_id, row)
  }
  return rows.flatMap((row) => {
    const spot = best.get(row.document_id) === row ? toSpot(model, row) : undefined
    return spot && view.exists(spot.type) ? [{ ...spot, row }] : []
  })
}

export function toSpot(model: ContentModel, row: SpotRow): Spot | undefined {
  const type = model.typeByNo(row.type_no)
  if (!type) return undefined
  return {
    type,
    no: row.no,
    id: row.id,
    documentId: row.document_id,
    locale: type.localized ? row.locale : null,
    parent: row.parent,
    isRoot: row.is_root === 1,
    path: row.path,
  }
}
