import type { FileInfo } from '#content-media'
import { type Issue, invalid } from '#kernel'
import { isRaw, type Raw } from '../query/brackets.ts'

const MAX_NAME_LENGTH = 255
const MAX_TEXT_LENGTH = 10_000

/** `fileInfo` of a form: an object for one file, a list for several; other members are ignored. */
export function parseFileInfos(raw: unknown, files: number): readonly FileInfo[] {
  if (raw === undefined || raw === null) return []
  const list = Array.isArray(raw) ? raw : [raw]
  const issues: Issue[] = []
  const infos = list.slice(0, files).map((item, at) => {
    if (isRaw(item)) return parseInfo(item, at, issues)
    issues.push(issue([at], 'fileInfo must be an object, or a list of objects'))
    return {}
  })
  if (issues.length > 0) throw invalid(issues)
  return infos
}

function parseInfo(raw: Raw, at: number, issues: Issue[]): FileInfo {
  const { name, alternativeText, caption } = raw
  if (isGiven(name) && !isText(name, MAX_NAME_LENGTH, 1)) {
    issues.push(issue([at, 'name'], `name must be a text of 1 to ${MAX_NAME_LENGTH} characters`))
  }
  for (const [member, value] of Object.entries({ alternativeText, caption })) {
    if (!isGiven(value) || isText(value, MAX_TEXT_LENGTH)) continue
    const message = `${member} must be a text of at most ${MAX_TEXT_LENGTH} characters`
    issues.push(issue([at, member], message))
  }
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(alternativeText === undefined ? {} : { alternativeText: textOrNull(alternativeText) }),
    ...(caption === undefined ? {} : { caption: textOrNull(caption) }),
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function isText(value: unknown, maxLength: number, minLength = 0): boolean {
  if (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed()) return false
  return value.length >= minLength && value.length <= maxLength
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function issue(path: readonly (string | number)[], message: string): Issue {
  return { path: ['fileInfo', ...path], rule: 'invalid', message }
}
