import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * With those above it. Node's `recursive` tries for ever below a directory that takes no others and says so
 * by ENOENT, as /proc does.
 */
export function makeDirectory(path: string, mode?: number): void {
  const whole = resolve(path)
  if (!existsSync(whole)) makeDirectory(dirname(whole), mode)
  // Passes over one that another process has made meanwhile, but not over a file.
  mkdirSync(whole, { recursive: existsSync(whole), mode })
}
