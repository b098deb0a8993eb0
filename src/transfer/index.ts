/**
 * Takes an installation as a whole from where it is to somewhere else: into one file of a format of its own and back
 * (docs/decisions/0125), and from one database to another, of either kind (0126).
 */
export {
  BACKUP_ENDING,
  type Contents,
  readBackup,
  verifyBackup,
  writeBackup,
} from './backup-file.ts'
export { countMissing, type Files, filesIn, type Missing } from './files.ts'
export { isEmpty, load, type Target } from './load.ts'
export { cancelMove, type Moved, move, type Place } from './move.ts'
export { recordsOf } from './records.ts'
export {
  BACKUP_HERE_TOPIC,
  BACKUP_TOPIC,
  type BackupSettings,
  findBackups,
  MAKE_BACKUP,
  startBackups,
} from './schedule.ts'
