// What the parsers and answers of every dialect are made of: a dialect adds its tables and its words.
export { renderBlocks } from '../../blocks/html.ts'
export { fold } from '../../fold.ts'
export { graphqlName, graphqlZoneNames } from '../../types/names.ts'
export type { CompareOperator } from '../ast.ts'
export {
  entryTag,
  expectedVersion,
  faultOf,
  jsonList,
  seenByWriter,
  UNSEEN,
} from './answers.ts'
export { ALWAYS, allOf, compare, isMet, isOneOf, NEVER, order } from './filters.ts'
export {
  ALL_OF_THEM,
  addPath,
  allBehind,
  behind,
  COMPONENT_MEMBER,
  includeOf,
  mapParts,
  type Paths,
  zoneInclude,
} from './includes.ts'
export {
  between,
  compareNumber,
  numberRangeOf,
  parseBoundary,
  WHOLE,
} from './numbers.ts'
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
