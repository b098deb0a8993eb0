// What the parsers and answers of every dialect are made of: a dialect adds its tables and its words.
export { fold } from '../../fold.ts'
export { graphqlName } from '../../types/names.ts'
export type { CompareOperator } from '../ast.ts'
export { ALWAYS, allOf, compare, isMet, isOneOf, NEVER, order } from './filters.ts'
export { addPath, behind, includeOf, mapParts, type Paths } from './includes.ts'
export { jsonList } from './json.ts'
export { INTEGER, listOf, orNull, refTo, type Schema, TEXT, TIME, UUID } from './openapi.ts'
export { decodeText, pairsIn, parsedOnce, readPair, splitParts, wordsIn } from './parameters.ts'
export {
  codeIn,
  meantBy,
  parseTarget,
  targetIn,
  typeAt,
  urlNameOf,
  workingCopies,
} from './targets.ts'
export { entryTag, expectedVersion, faultOf } from './writes.ts'
