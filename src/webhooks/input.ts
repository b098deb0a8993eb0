import { DomainError, type Issue, invalid, isObject, parseTime } from '#kernel'

export type Body = Readonly<Record<string, unknown>>

/** Collects all that is wrong with a body, so that its sender hears of everything at once. */
export function createCheck() {
  const issues: Issue[] = []
  return { refuse, report, done }

  /** The same for a path whose names may hold anything, and a message that is a whole sentence. */
  function report(path: Issue['path'], rule: string, message: string): void {
    issues.push({ path, rule, message })
  }

  /** `message` completes the sentence that starts with the name of the field. */
  function refuse(field: string, rule: string, message: string): undefined {
    issues.push({ path: field.split('.'), rule, message: `${field} ${message}` })
    return undefined
  }

  function done(): void {
    if (issues.length > 0) throw invalid(issues)
  }
}

export type Check = ReturnType<typeof createCheck>

export function parseObject(body: unknown): Body {
  if (body === undefined)
    throw new DomainError('invalid', 'invalid_json', 'A JSON body is required')
  if (isObject(body)) return body
  throw invalid([{ path: [], rule: 'type', message: 'The body must be an object' }])
}

/** For bodies that may be left out. */
export function parseOptionalObject(body: unknown): Body {
  return body === undefined || body === null ? {} : parseObject(body)
}

export function parseTimeField(
  check: Check,
  body: Body,
  field: string,
  at = '',
): number | null | undefined {
  const value = body[field]
  if (value === undefined || value === null) return value
  const ms = typeof value === 'string' ? parseTime(value) : undefined
  return ms ?? check.refuse(at + field, 'format', 'must be a time such as 2030-01-31T12:00:00Z')
}

export function parseNames(
  check: Check,
  field: string,
  value: unknown,
  maxItems: number,
): readonly string[] | undefined {
  if (!Array.isArray(value)) return check.refuse(field, 'type', 'must be a list')
  if (value.length === 0) return check.refuse(field, 'length', 'must not be empty')
  if (value.length > maxItems) {
    return check.refuse(field, 'length', `must have at most ${maxItems} items`)
  }
  const names: readonly unknown[] = value
  const texts = names.filter((name) => typeof name === 'string')
  if (texts.length < names.length) return check.refuse(field, 'type', 'must hold strings only')
  return [...new Set(texts)]
}
