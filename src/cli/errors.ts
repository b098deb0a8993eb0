import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { DomainError, OperatorError } from '#kernel'
import type { Output } from './command.ts'
import { UsageError } from './usage-error.ts'

/** Says what went wrong in the words meant for its reader, and returns the exit code. */
export async function report(
  error: unknown,
  { output, debug }: { output: Output; debug: boolean },
): Promise<number> {
  if (error instanceof UsageError) {
    output.err(`entrepot: ${error.message}\nSee "entrepot --help".`)
    return 2
  }
  output.err(describe(error, debug))
  return 1
}

/** Undefined when none is near enough to be meant: more than a third of the letters is no slip. */
export async function nearestWord(word: string, known: readonly string[]) {
  const { editDistance, nearest } = await import('#config')
  const found = nearest(word, known)
  if (found === undefined) return undefined
  return editDistance(word, found) <= Math.ceil(found.length / 3) ? found : undefined
}

function describe(error: unknown, debug: boolean): string {
  if (debug) return inspect(error)
  if (error instanceof OperatorError) return `entrepot: ${error.message}`
  if (error instanceof DomainError) {
    const issues = error.issues.length > 1 ? error.issues : []
    const lines = issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`)
    return [`entrepot: ${error.message}`, ...lines].join('\n')
  }
  if (isDiskFull(error)) {
    return 'entrepot: There is no space left on the disk. Free some, or use another disk, and try again.'
  }
  const message = error instanceof Error ? error.message : String(error)
  return `entrepot: unexpected error: ${firstLine(message)} (details: ${keepDetails(error)})`
}

/** Of the last: its file of shared memory could not grow. */
const SQLITE_FULL: readonly unknown[] = [13, 4874]

/** As files and as both databases say it. */
function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : undefined
  const isOfSqlite = 'errcode' in error && SQLITE_FULL.includes(error.errcode)
  return isOfSqlite || code === 'ENOSPC' || code === 'EDQUOT' || code === '53100'
}

/** A fault of ours: the stack helps whoever mends it, not whoever reads the terminal. */
function keepDetails(error: unknown): string {
  const path = join(mkdtempSync(join(tmpdir(), 'entrepot-')), 'error.log')
  writeFileSync(path, `${inspect(error)}\n`, { mode: 0o600 })
  return path
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? ''
}
