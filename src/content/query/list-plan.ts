import type { ContentType } from '../model.ts'
import type { Documented } from './load/current.ts'
import { placeOf } from './load/entry-row.ts'
import {
  type Asking,
  documentsOf,
  type IncludePlan,
  type Making,
  planIncludes,
  toAsking,
} from './plan.ts'
import type { Planning } from './planning.ts'
import type { ResolvedList, ResolvedQuery } from './resolved.ts'
import { StepList } from './slot.ts'
import { compileList, LISTED } from './sql/list.ts'

/** All statements of one shape of list over several types. */
export interface ListPlan {
  readonly asking: Asking
  /** The total, for a page that has no row to carry it. */
  readonly counting: Asking
  /** In the order of the queries. */
  readonly types: readonly TypePlan[]
  readonly documented: readonly Documented[]
}

interface TypePlan {
  readonly type: ContentType
  readonly includes: readonly IncludePlan[]
}

/** The page is the first step; what belongs to entries of a type is fed by their rows alone. */
export function makeListPlan(to: Planning, list: ResolvedList): ListPlan {
  to.countPlan()
  const { rows, total, mayScan } = compileList(to.compiling(list.state), list)
  const making: Making = {
    ...to,
    brief: false,
    pieces: [rows],
    mayScan,
    owned: new Set(),
    documented: [],
  }
  const types = list.queries.map((query, at) => planType(making, query, at))
  const { documented } = making
  const asking = toAsking(to, making.pieces, making.mayScan, making.owned)
  const counting = toAsking(to, [total], mayScan)
  return { asking, counting, types, documented }
}

function planType(to: Making, { type, include, state }: ResolvedQuery, at: number): TypePlan {
  const only = { column: LISTED.type, value: at }
  to.documented.push(documentsOf(type, 0, 0, only))
  const copies = new StepList(0, placeOf('copy_no'), { only })
  const level = { holder: type, component: null, copies, parts: null }
  return { type, includes: planIncludes(to, level, include, state) }
}
