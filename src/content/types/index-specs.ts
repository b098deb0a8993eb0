import { isUnique, kindOf } from '../fields/index.ts'
import { columnOf, foldColumnOf } from '../fields/kind.ts'
import { type Attribute, isScalar } from '../model.ts'
import type { TypeDefinition } from './definition.ts'

/** One index of a values or parts table. */
export interface IndexSpec {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
  readonly unique: boolean
  /** Only live copies, only working copies, or all rows. */
  readonly of: 'live' | 'work' | null
  /** The last column may hold text that is too long for an index of some databases. */
  readonly long?: true
}

const TIMES = ['created_at', 'updated_at'] as const

/**
 * What the table of a type is searched by. Types without drafts have only live copies, so they need
 * no second set for working ones; the locale leads where there are several.
 */
export function indexesOfType(no: number, definition: TypeDefinition): IndexSpec[] {
  const { attributes, draftAndPublish, localized } = definition
  const table = `content_v${no}`
  const copies = draftAndPublish ? (['live', 'work'] as const) : (['live'] as const)
  const times = draftAndPublish ? [...TIMES, 'published_at'] : TIMES
  const locale = localized ? ['locale'] : []
  return [
    plain(table, ['entry_no']),
    plain(table, ['document_id']),
    ...copies.flatMap((of) => [
      partial(table, of, [...locale, 'id']),
      ...times.map((time) => partial(table, of, [...locale, time, 'id'])),
    ]),
    ...attributes.flatMap((attribute) => [
      ...copies.flatMap((of) =>
        sortIndex(attribute, (key) => partial(table, of, [...locale, ...key])),
      ),
      ...uniqueIndexes(table, attribute),
    ]),
  ]
}

export function indexesOfComponent(no: number): IndexSpec[] {
  const table = `content_c${no}`
  return [plain(table, ['owner_copy', 'attribute_no', 'parent_part', 'position'])]
}

/** Text sorts by its folded form, then by itself (content model §10.2). */
function sortIndex(attribute: Attribute, make: (key: string[]) => IndexSpec): IndexSpec[] {
  if (!isScalar(attribute)) return []
  const { indexed, compared, folded } = kindOf(attribute).column
  if (!indexed || !compared) return []
  const fold = folded ? [foldColumnOf(attribute)] : []
  return [make([...fold, columnOf(attribute), 'id'])]
}

/**
 * Two entries must neither be saved nor be live with the same value; an entry's own two copies may
 * share it.
 */
function uniqueIndexes(table: string, attribute: Attribute): IndexSpec[] {
  if (!isScalar(attribute) || !isUnique(attribute)) return []
  const long = kindOf(attribute).column.indexed ? {} : { long: true as const }
  return (['live', 'work'] as const).map((of) => ({
    name: `${table}_${columnOf(attribute)}_unique_${of}`,
    table,
    columns: ['locale', columnOf(attribute)],
    unique: true,
    of,
    ...long,
  }))
}

function plain(table: string, columns: readonly string[]): IndexSpec {
  return { name: `${table}_${columns.join('_')}`, table, columns, unique: false, of: null }
}

function partial(table: string, of: 'live' | 'work', columns: readonly string[]): IndexSpec {
  return { name: `${table}_${of}_${columns.join('_')}`, table, columns, unique: false, of }
}
