import type { Cells } from '#db'
import type { Scalar } from '../ast.ts'
import type { OrderKey } from '../sql/order.ts'

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
