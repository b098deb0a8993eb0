/** Rows on their way from one database to another of either kind, or to a file and back. */

export { backupTo, type Copied, makeRoom, readManifest, restoreFrom } from '../backup.ts'
export { unknownMigrations } from '../migrate.ts'
export { endMove, findMove, type Move, saveMove } from '../moves.ts'
export { parseRow, type Row, renderRow, sizeOf, type TableInfo } from './cells.ts'
export { createLoader, inOrder, type Loader } from './load.ts'
export { untilQuiet } from './quiet.ts'
export { keyOf, openSnapshot, type Snapshot } from './snapshot.ts'
