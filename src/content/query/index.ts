// The language of reads: what a dialect may ask of entries, whatever it speaks itself.

export { levelFor, mayRead, type Operation, requireMay } from '../permissions.ts'
export type { SearchHit } from '../search/search.ts'
export { parseTerms } from '../search/terms.ts'
export type {
  Between,
  ContentQuery,
  CopyState,
  FilesQuery,
  Filter,
  GivenPage,
  Include,
  ListedType,
  ListQuery,
  LocaleChoice,
  OffsetPage,
  PageChoice,
  Scalar,
  SortKey,
  TreeSpot,
} from './ast.ts'
export { type BracketRefusals, type Brackets, type Raw, splitBrackets } from './brackets.ts'
export { isNamed } from './dialect/includes.ts'
export { type OneQuery, oneOf, type PreparedEntries } from './find.ts'
export type { FoundPath } from './find-path.ts'
export { parseLocale, spelled } from './locales.ts'
export { parseFilter } from './parse-filter.ts'
export { requireWrite } from './rights.ts'
export { MOST_PARTS } from './scattered.ts'
export { type Operand, Slot, textOf, toSlot, type Values } from './slot.ts'
export type { Question, Slots } from './templates.ts'
export { typesOf } from './types-of.ts'
export { firstPage, pageIn } from './walk.ts'
