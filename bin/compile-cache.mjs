// What Node has compiled is kept between starts. Whoever can write there can change what the program does,
// so it is never a directory that others can write to, such as /tmp.
import { accessSync, constants, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Beside the program, or in the caller's own cache where the program belongs to somebody else (installed
 * for all by root); undefined where neither can be written: then every start compiles anew, a second more.
 */
export function findCompileCache(
  project = fileURLToPath(new URL('..', import.meta.url)),
  env = process.env,
) {
  const own = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache')
  return [
    join(project, 'node_modules', '.cache', 'compiled'),
    join(own, 'entrepot', 'compiled'),
  ].find(canWrite)
}

function canWrite(directory) {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.W_OK)
    return true
  } catch {
    return false
  }
}
