/** What an exchange shows without what only the machine it was recorded on has. */

const MOST_ITEMS = 2
const LOCAL = /https?:\/\/(127\.0\.0\.1|localhost)(:\d+)?/g
/** Nodes of upstreams, and proxies with a name before. */
const LOCAL_NODE = /(?:127\.0\.0\.1|localhost):\d+/g
const SECRET = /\bsk_[A-Za-z0-9]{48}\b/g
const PRIVATE = /(-----BEGIN [A-Z ]*PRIVATE KEY-----\n)[^-]+/g

/** Lists are cut after the second item; addresses and secrets are replaced. */
export function tidy(value: unknown): unknown {
  if (typeof value === 'string') return tidyText(value)
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map(tidy)
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [tidyText(name), tidy(member)])
  return Object.fromEntries(members)
}

function tidyText(text: string): string {
  return text
    .replaceAll(LOCAL, 'https://api.example.org')
    .replaceAll(LOCAL_NODE, 'node.example.org:8080')
    .replaceAll(SECRET, `sk_${'Example0'.repeat(6)}`)
    .replaceAll(PRIVATE, `$1${`${'Example0'.repeat(8)}\n`.repeat(3)}`)
}

/** Names and kinds of members. */
export function shapeOf(value: unknown): string {
  return JSON.stringify(outline(value))
}

function outline(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(outline)
  if (!isObject(value)) return value === null ? 'null' : typeof value
  const members = Object.entries(value).map(([name, member]) => [name, outline(member)])
  return Object.fromEntries(members)
}

/** Same names and kinds of members; what was not yet known or not there when it was asked may be of any kind. */
export function isLike(one: unknown, other: unknown): boolean {
  if (one === null || other === null) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === 0 || other.length === 0 || isLike(one[0], other[0])
  }
  if (!isObject(one) || !isObject(other)) return typeof one === typeof other
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isLike(one[name], other[name]))
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
