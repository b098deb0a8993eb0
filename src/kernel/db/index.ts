// The database and its transactions, whichever of both it is.
export {
  type Ask,
  type AskKind,
  type Batch,
  type Cell,
  type Cells,
  type Fed,
  type RowsWith,
  rowsWith,
} from './ask.ts'
export { countTables } from './count-tables.ts'
export type {
  Alongside,
  AnyTables,
  Database,
  Receipt,
  Store,
  Tx,
  WriteStep,
} from './database.ts'
export { againAfterDeadlock } from './deadlock.ts'
export { describeServer } from './describe-server.ts'
export type { SqlDialect } from './dialect.ts'
export { insertOf, insertsOf, type NewRows, toNewRows } from './insert-rows.ts'
export { migrate, pendingMigrations } from './migrate.ts'
export { refuseMoving } from './moves.ts'
export {
  attachDatabase,
  type DatabaseAddress,
  type DatabaseSettings,
  prepareDataDirectory,
  type StartedDatabase,
  sqliteFiles,
  startDatabase,
} from './open.ts'
export { NeedsTransaction } from './plan.ts'
export { prepared } from './prepared.ts'
export { carryOutIn } from './store.ts'
export { type IndexedTable, type IndexedText, SHORTEST_PART } from './text-index.ts'
export { spacedPart, wordsOf } from './words.ts'
