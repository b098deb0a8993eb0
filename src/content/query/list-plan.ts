import type { ContentType } from '../model.ts'
import type { Documented } from './load/current.ts'
import { entryColumns, placeOf } from './load/entry-row.ts'
import {
  type Asking,
  documentsOf,
  type IncludePlan,
  type Making,
  type Planning,
  planIncludes,
  toAsking,
} from './plan.ts'
import type { ShapedList } from './shaped.ts'
import { StepList } from './slot.ts'
import { compileList } from './sql/list.ts'

/** All statements of one shape of list, and how their rows become entries. */
export interface ListPlan {
  readonly asking: Asking
  readonly total: Asking
  readonly types: readonly ListedPlan[]
  readonly documented: readonly Documented[]
}

interface ListedPlan {
  readonly type: ContentType
  readonly includes: readonly IncludePlan[]
}

const WIDTH = entryColumns(false).length
/** Where rows hold the place of their type among the queries, and the total. */
export const LISTED = { type: WIDTH, total: WIDTH + 2 } as const

/**
 * The page of all types is the first step. Includes are each type's own; all of them are fed the copies
 * of the whole page, of which those of other types lie in other tables.
 */
export function makeListPlan(to: Planning, list: ShapedList): ListPlan {
  const [first] = list.queries
  if (!first) throw new Error('a list without types is not asked')
  const { state } = first
  const page = compileList(to.compiling(state), list)
  const making: Making = {
    ...to,
    brief: false,
    pieces: [page.rows],
    documented: [],
    mayScan: page.mayScan,
  }
  const copies = new StepList(0, placeOf('copy_no'))
  const types = list.queries.map(({ type, include }, at) => {
    making.documented.push({ ...documentsOf(type, 0, 0), only: { at: LISTED.type, is: at } })
    const level = { holder: type, component: null, copies, parts: null }
    return { type, includes: planIncludes(making, level, include, state) }
  })
  return {
    types,
    documented: making.documented,
    asking: toAsking(to, making.pieces, making.mayScan),
    total: toAsking(to, [page.total], page.mayScan),
  }
}
