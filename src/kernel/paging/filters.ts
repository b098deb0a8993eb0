import { DomainError } from '../errors.ts'
import { parseDate, parseMoment } from '../times.ts'

/** A refusal for one parameter; `message` completes the sentence that starts with its name. */
export function badParameter(name: string, message: string): DomainError {
  return new DomainError('invalid', 'invalid_parameter', `${name} ${message}`, {
    issues: [{ path: [name], rule: 'invalid', message: `${name} ${message}` }],
  })
}

/** The value of a filter, or undefined when it was not given; anything else is refused by name. */
export function parseOneOf<Value extends string>(
  name: string,
  text: string | undefined,
  values: readonly Value[],
): Value | undefined {
  if (text === undefined) return undefined
  const found = values.find((value) => value === text)
  if (found === undefined) throw badParameter(name, `must be one of ${values.join(', ')}`)
  return found
}

export function parseFlag(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (text !== 'true' && text !== 'false') throw badParameter(name, 'must be true or false')
  return text === 'true'
}

/** Later than a time, or from the first instant of a date (REST conventions §4). */
export function parseAfter(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const timeMs = parseMoment(text)
  return timeMs === undefined ? parseDay(name, text) : timeMs + 1
}

export function parseBefore(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return parseMoment(text) ?? parseDay(name, text)
}

function parseDay(name: string, text: string): number {
  const fromMs = parseDate(text)
  if (fromMs === undefined) throw badParameter(name, 'must be a date, a time or epoch milliseconds')
  return fromMs
}
