import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Finding, fault, ok, reasonOf } from './finding.ts'

const CHECK = 'chromium'
const START_MS = 10_000

/** Whether the program that renders pages starts at all. */
export async function checkChromium(path: string): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: START_MS })
    return ok(CHECK, stdout.trim())
  } catch (error) {
    const next =
      'Install Chromium, and set ENTREPOT_SCRAPERS_CHROMIUM to its path; unset refuses rendering.'
    return fault(CHECK, `${path} does not start: ${reasonOf(error)}`, next)
  }
}
