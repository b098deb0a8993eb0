import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nextTick } from '#cron'
import { type Finding, fault, ok, reasonOf, warning } from './finding.ts'

const CHECK = 'backups'

interface Settings {
  readonly schedule?: string | undefined
  readonly directory: string
}

/** Whether those by schedule can be written, and whether the last one is as new as it should be. */
export function checkBackups({ schedule, directory }: Settings, nowMs: number): Finding[] {
  if (schedule === undefined) return []
  const place = existsSync(directory) ? directory : dirname(directory)
  try {
    accessSync(place, constants.W_OK | constants.X_OK)
  } catch (error) {
    const next = 'Give it to the user that runs the server, or set backup.directory to another one.'
    return [fault(CHECK, `${directory} cannot be written: ${reasonOf(error)}`, next)]
  }
  const newestMs = Math.max(0, ...timesIn(directory))
  if (newestMs === 0) return [ok(CHECK, `${directory}: none yet, they are made by ${schedule}`)]
  const says = `${directory}: the newest is of ${new Date(newestMs).toISOString()}`
  const dueMs = nextTick(schedule, 'UTC', newestMs)
  const lateMs = dueMs === null ? null : nextTick(schedule, 'UTC', dueMs)
  if (lateMs !== null && lateMs < nowMs) {
    const next = 'Look for "a backup could not be made" in the log, and whether a worker runs.'
    return [warning(CHECK, `${says}, older than backup.schedule says`, next)]
  }
  return [ok(CHECK, says)]
}

function timesIn(directory: string): number[] {
  if (!existsSync(directory)) return []
  const names = readdirSync(directory).filter((name) => name.endsWith('.entrepot'))
  return names.map((name) => statSync(join(directory, name)).mtimeMs)
}
