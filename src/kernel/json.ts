import { isRawNumber } from './exact-json.ts'

/** An object as JSON has them: neither null, nor a list, nor a number that was kept as its text. */
export function isObject<Member = unknown>(
  value: unknown,
): value is Readonly<Record<string, Member>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}
