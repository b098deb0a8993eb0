import { type Cell, type Cells, type RowsWith, rowsWith, type SqlDialect } from '#db'
import { DomainError } from '#kernel'
import { readValues, renderDocument, selectValues } from '../../document.ts'
import type { FieldSet } from '../../model.ts'
import type { Scalar } from '../ast.ts'
import { sql } from '../fragment.ts'
import type { Plan } from '../plan.ts'
import type { Runner } from '../run.ts'
import type { OrderKey } from '../sql/order.ts'

/** Where the rows of a step hold documents, and of what. */
export interface Documented {
  readonly step: number
  readonly set: FieldSet
  readonly key: 'copy_no' | 'part_no'
  /** Places of the key, the shape and the document. */
  readonly keyAt: number
  readonly shapeAt: number
  readonly docAt: number
  /** Other rows of the step are of something else. */
  readonly only?: RowsWith
}

/** Documents as their type is now, by their rows, where these hold older ones. */
type Renewed = ReadonlyMap<Cells, string>

type Values = Readonly<Record<string, unknown>>

export const NONE_RENEWED: Renewed = new Map()

export function documentOf(renewed: Renewed, row: Cells, docAt: number): string {
  return (renewed.size > 0 ? renewed.get(row) : undefined) ?? textAt(row, docAt)
}

/** Documents that were written under the present shape are taken as they are, which is the rule. */
export function isCurrent(
  documented: readonly Documented[],
  told: readonly (readonly Cells[])[],
): boolean {
  return documented.every(({ step, set, shapeAt, only }) =>
    rowsWith(told[step] ?? [], only).every((row) => row[shapeAt] === set.shape),
  )
}

/** The others are rendered from their columns, all of a step with one statement. */
export async function renewDocuments(
  to: Runner & { readonly dialect: SqlDialect },
  documented: readonly Documented[],
  told: readonly (readonly Cells[])[],
): Promise<Renewed> {
  const renewed = new Map<Cells, string>()
  await Promise.all(documented.map((each) => renewStep(to, each, told[each.step] ?? [], renewed)))
  return renewed
}

async function renewStep(
  { run, dialect }: Runner & { readonly dialect: SqlDialect },
  { set, key, keyAt, shapeAt, only }: Documented,
  rows: readonly Cells[],
  renewed: Map<Cells, string>,
): Promise<void> {
  const old = rowsWith(rows, only).filter((row) => row[shapeAt] !== set.shape)
  if (old.length === 0) return
  const name = sql.ref(`c.${key}`)
  const selected = sql.join([sql`${name} as key`, ...selectValues(set, 'c')])
  const keys = old.map((row) => wholeAt(row, keyAt))
  const found = await run(
    sql<Values>`select ${selected} from ${sql.table(set.table)} as c where ${dialect.isOneOf(name, keys, 'integer')}`,
    false,
  )
  const byKey = new Map(found.map((values) => [values['key'], values]))
  for (const row of old) {
    const values = byKey.get(row[keyAt])
    if (values) renewed.set(row, renderDocument(set, readValues(set, values)))
  }
}

/** Values of a row by their place, which the select fixes; a value of another kind is our mistake. */
export function wholeAt(cells: Cells, at: number): number {
  const cell = cells[at]
  if (typeof cell === 'number') return cell
  return refuse(cell, 'a number')
}

export function textAt(cells: Cells, at: number): string {
  const cell = cells[at]
  if (typeof cell === 'string') return cell
  return refuse(cell, 'text')
}

export function wholeOrNullAt(cells: Cells, at: number): number | null {
  return cells[at] === null ? null : wholeAt(cells, at)
}

export function textOrNullAt(cells: Cells, at: number): string | null {
  return cells[at] === null ? null : textAt(cells, at)
}

function refuse(cell: Cell | undefined, wanted: string): never {
  throw new Error(`a row has ${typeof cell} where ${wanted} should be`)
}

/**
 * Where a row stands in its list: one value for each sort key, the id last; of text the text itself, whose
 * fold follows from it. `at`: where the values of the keys begin in the row.
 */
export function positionIn(row: Cells, keys: readonly OrderKey[], at: number): readonly Scalar[] {
  const values: Scalar[] = []
  for (const [index, key] of keys.entries()) {
    if (!key.isFold) values[key.part] = toScalar(row[at + index])
  }
  return values
}

function toScalar(cell: Cells[number] | undefined): Scalar {
  return typeof cell === 'string' || typeof cell === 'number' ? cell : null
}

/** Nothing is left out silently: an answer that would be too large is refused, and says how to ask for less. */
export function refuseTooMany(
  related: Plan['related'],
  rows: readonly (readonly Cells[])[],
  most: number,
): void {
  const counts = related.map(({ step, name }) => ({ name, count: rows[step]?.length ?? 0 }))
  if (counts.reduce((sum, { count }) => sum + count, 0) <= most) return
  const [largest] = counts.toSorted((a, b) => b.count - a.count)
  const message =
    `The answer would show more than ${most} related entries and files, most of them by ` +
    `"${largest?.name ?? ''}". Ask for fewer records at a time, leave that relation out, or read what it ` +
    'leads to as a list of its own, page by page'
  throw new DomainError('invalid', 'answer_too_large', message, {
    facts: { limit: most, relation: largest?.name ?? '' },
  })
}
