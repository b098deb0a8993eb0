import { existsSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/**
 * Gives a copy of the checkout our packages. A lock file newer than what is installed is installed again by
 * npm scripts, which would empty them through the link: so the lock file of the copy is very old.
 */
export function linkPackages(checkout: string): void {
  symlinkSync(PACKAGES, join(checkout, 'node_modules'))
  const lock = join(checkout, 'package-lock.json')
  if (existsSync(lock)) utimesSync(lock, 0, 0)
}
