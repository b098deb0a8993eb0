// The words all modules share. It knows no product noun and imports nothing of ours.
export { type AccessLevel, type Actor, hasAccess } from './actor.ts'
export { type Clock, createClock, type MovableClock } from './clock.ts'
export type { AnyTables, Database, Store, Tx } from './db/database.ts'
export type { SqlDialect } from './db/dialect.ts'
export { type Migration, migrate } from './db/migrate.ts'
export {
  attachDatabase,
  type DatabaseAddress,
  type DatabaseSettings,
  prepareDataDirectory,
  type StartedDatabase,
  startDatabase,
} from './db/open.ts'
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
export { drainServer } from './http/drain.ts'
export { createIds, type Ids, isUuid } from './ids.ts'
export { type Log, type LogSettings, logFile, type OpenLog, openLog, rotateLog } from './log.ts'
export { type Random, random } from './random.ts'
export { createFailures, type Failures } from './threads/failures.ts'
export { READY, STOP, type Supervised, supervise, type Thread } from './threads/supervise.ts'
