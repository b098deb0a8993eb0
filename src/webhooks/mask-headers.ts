import type { Check } from './input.ts'

const MASK = '***'
const SECRET_NAME = /authorization|cookie|token|secret|key|password/i

/** Values that are likely credentials are shown as `***` (webhooks contract §2.1). */
export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET_NAME.test(name) ? MASK : value]),
  )
}

/** What a record shows in place of a credential, sent back. */
export function isMasked(name: string, value: unknown): boolean {
  return value === MASK && SECRET_NAME.test(name)
}

/** A masked value sent back means the one that is stored, under whatever case its name has. */
export function keepMasked(
  check: Check,
  given: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]))
  const headers = Object.entries(given).map(([name, value]): [string, string] => {
    if (!isMasked(name, value)) return [name, value]
    const own = kept.get(name.toLowerCase())
    if (own === undefined) {
      const shown = JSON.stringify(name)
      check.refuse('headers', 'masked', `has *** for ${shown}, of which no value is stored`)
    }
    return [name, own ?? value]
  })
  return Object.fromEntries(headers)
}
