// Lists of records: their parameters, their pages, their links.
export { type CursorBinding, createCursors } from './cursor.ts'
export { badParameter, parseAfter, parseBefore, parseFlag, parseOneOf } from './filters.ts'
export { findPage } from './find-page.ts'
export { reportOthers, reportUnknown } from './ignored-parameters.ts'
export { renderLinkHeader } from './link.ts'
export {
  answerList,
  type FoundPage,
  type ListQuery,
  listParameters,
  parseList,
  parseListBy,
} from './lists.ts'
export {
  type KeysetPaging,
  type Paging,
  parseIntegerId,
  parseKeyset,
  parsePaging,
  parseUuidId,
} from './parse.ts'
export { cutPage, renderCursorPage, renderKeysetPage, renderOffsetPage } from './render.ts'
