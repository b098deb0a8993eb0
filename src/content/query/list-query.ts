import type { Entry } from '../entry.ts'
import type { ContentType } from '../model.ts'

import type { CopyState, Filter, Include, LocaleChoice, SortKey } from './ast.ts'
import type { Operand } from './slot.ts'

/**
 * One list over several types. `filter`, `search` and `sort` are asked of all of them: what cannot be
 * asked of a type (a name it does not have, a value its attribute cannot take) is not true of its
 * entries, so that its negation is, and sorts as missing. What can be asked of none is refused.
 * Missing values sort lowest; entries that are equal then stand by `createdAt` and `documentId`.
 */
export interface ListQuery {
  readonly types: readonly ListedType[]
  readonly state: CopyState
  /** Types that are not localised show their entries whatever is chosen. */
  readonly locale: LocaleChoice
  readonly filter: Filter | null
  readonly search: Operand<string>
  /** `@name` is the display field of each type. */
  readonly sort: readonly SortKey[]
  readonly start: Operand<number>
  readonly limit: Operand<number>
  /** Types the caller may know of: relations to others hold nothing. Those it may not read never count. */
  exists?(type: ContentType): boolean
}

/** One type of the list with what is asked of it alone. */
export interface ListedType {
  readonly type: ContentType
  /**
   * Besides the common filter; here every name must exist. `{ kind: 'or', of: [] }` shows none of its
   * entries and costs nothing, yet its names are known to the common filter and sort.
   */
  readonly filter?: Filter | null
  readonly include: readonly Include[]
  /** What names of the common filter and sort mean in this type: other spellings, index fields. */
  readonly names?: ReadonlyMap<string, string>
}

/** Entries and total of one moment. */
export interface EntryList {
  readonly entries: readonly Entry[]
  readonly total: number
}
