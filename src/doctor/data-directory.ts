import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Finding, fault, ok, reasonOf, warning } from './finding.ts'

const CHECK = 'data directory'
const DISK = 'free disk'
const MIB = 1024 * 1024
/** Below this SQLite may be unable to write its log before the operator reads the warning. */
const LEAST_BYTES = 100 * MIB
const FEW_BYTES = 1024 * MIB

/** Whether it can be written, by nobody else, and for how long. */
export function checkDataDirectory(directory: string): Finding[] {
  const isThere = existsSync(directory)
  const place = isThere ? directory : nearestAbove(directory)
  try {
    if (!statSync(place).isDirectory()) throw new Error(`${place} is no directory`)
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const next = `Give it to the user that runs the server (chown), or set ENTREPOT_DATA_DIR to another one.`
    return [fault(CHECK, `${directory} cannot be used: ${reasonOf(error)}`, next)]
  }
  return [
    isThere ? checkRights(directory) : ok(CHECK, `${directory} is made by the first start`),
    checkSpace(place),
  ]
}

function checkRights(directory: string): Finding {
  const { mode } = statSync(directory)
  if (process.platform === 'win32' || (mode & 0o077) === 0) return ok(CHECK, directory)
  const says = `${directory} is open to other users of this machine`
  return warning(CHECK, says, `Run chmod 700 ${directory}; a start does it too.`)
}

function checkSpace(place: string): Finding {
  const { bavail, bsize } = statfsSync(place)
  const free = bavail * bsize
  const says = `${Math.floor(free / MIB).toLocaleString('en')} MB where the data lies`
  const next = 'Free some, or move the data directory to a larger disk.'
  if (free < LEAST_BYTES) return fault(DISK, says, next)
  return free < FEW_BYTES ? warning(DISK, says, next) : ok(DISK, says)
}

function nearestAbove(directory: string): string {
  const above = dirname(directory)
  return existsSync(above) || above === directory ? above : nearestAbove(above)
}
