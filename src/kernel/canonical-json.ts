import { isObject } from './json.ts'
/**
 * The same text for equal JSON values, whatever the order of their members. Members that are
 * undefined are left out, as JSON does.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner) => (isObject(inner) ? sorted(inner) : inner))
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(object)
  // Not by locale: the text must be the same on every machine.
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return Object.fromEntries(entries)
}
