// The words all modules share. It knows no product noun and imports nothing of ours; what has a folder
// has a door of its own.
export { type AccessLevel, type Actor, hasAccess } from './actor.ts'
export { canonicalJson } from './canonical-json.ts'
export { type Clock, createClock } from './clock.ts'
export { type CsvValue, csvLine } from './csv.ts'
export {
  conflict,
  DomainError,
  type ErrorKind,
  type Issue,
  invalid,
  notFound,
  OperatorError,
  unavailable,
} from './errors.ts'
export { isRawNumber, parseExactJson } from './exact-json.ts'
export { compareBytes, fold } from './fold.ts'
export { createIds, type Ids, isUuid } from './ids.ts'
export { isObject } from './json.ts'
export { type KeyPair, readKeyPair } from './key-pair.ts'
export { type Log, openLog, REOPEN_LOG, rotateLog } from './log.ts'
export { createLru } from './lru.ts'
export { type Mail, sendMail } from './mail.ts'
export { makeDirectory } from './make-directory.ts'
export { memoize, memoizeOf } from './memoize.ts'
export { type Random, random } from './random.ts'
export {
  parseDate,
  parseDay,
  parseMoment,
  parseTime,
  renderTime,
  renderTimeOrNull,
} from './times.ts'
