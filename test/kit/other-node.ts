import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The PATH without what npm puts before it: `node` and `npm` are those of the machine. */
export function machinePath(): string {
  const places = (process.env['PATH'] ?? '').split(delimiter)
  return places.filter((place) => !/node_modules|node-gyp-bin/.test(place)).join(delimiter)
}

/**
 * A Node of this machine that is older than ours. Where there is none, ours says that it is: then all but
 * the syntax an old Node understands is shown.
 */
export function otherNode(): { node: string; options: string[] } {
  const own = majorOf(process.execPath)
  const places = (process.env['PATH'] ?? '').split(delimiter).map((place) => join(place, 'node'))
  const older = places.find((place) => existsSync(place) && majorOf(place) < own)
  if (older) return { node: older, options: [] }
  const disguise = "Object.defineProperty(process, 'versions', { value: { node: '20.0.0' } })"
  return { node: process.execPath, options: ['--import', `data:text/javascript,${disguise}`] }
}

function majorOf(node: string): number {
  return Number.parseInt(execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1), 10)
}
