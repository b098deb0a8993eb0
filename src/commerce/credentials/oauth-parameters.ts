/** One `name=value` as it was sent. */
interface Pair {
  readonly name: string
  readonly value: string
  readonly hasValue: boolean
}

/** What a request says of its signature (RFC 5849 §3.1). */
export interface Signed {
  readonly consumerKey: string
  readonly token: string
  readonly method: string
  readonly timestamp: string
  readonly nonce: string
  readonly signature: string
  readonly version: string | undefined
  /** The `oauth_*` parameters of the header, decoded, without the signature. */
  readonly inHeader: ReadonlyMap<string, string>
}

/** How a signer reads the query; widely used ones read it otherwise than the RFC. */
export interface Reading {
  readonly isPlusKept: boolean
  readonly areNamesRaw: boolean
  readonly areBareLeftOut: boolean
}

/** The RFC's own first. */
export const READINGS: readonly Reading[] = [false, true].flatMap((isPlusKept) =>
  [false, true].flatMap((areNamesRaw) =>
    [false, true].map((areBareLeftOut) => ({ isPlusKept, areNamesRaw, areBareLeftOut })),
  ),
)

const HEADER = /^oauth(?:\s+(.*))?$/is
const NEEDED = {
  consumerKey: 'oauth_consumer_key',
  token: 'oauth_token',
  method: 'oauth_signature_method',
  timestamp: 'oauth_timestamp',
  nonce: 'oauth_nonce',
  signature: 'oauth_signature',
} as const

/** The parameters of a signed request; undefined when nothing says that it is one, null when some are absent. */
export function findSigned(
  authorization: string | undefined,
  query: string,
): Signed | null | undefined {
  const header = HEADER.exec(authorization ?? '')
  const isInQuery = /(?:^|&)oauth_(?:consumer_key|signature)=/.test(query)
  if (!header && !isInQuery) return undefined
  const inHeader = header ? parseHeader(header[1] ?? '') : new Map<string, string>()
  const all = new Map([...queryParameters(query), ...inHeader])
  const found = Object.fromEntries(
    Object.entries(NEEDED).map(([own, name]) => [own, all.get(name)]),
  )
  const { consumerKey, token, method, timestamp, nonce, signature } = found
  if (!consumerKey || !token || !method || !timestamp || !nonce || !signature) return null
  const version = all.get('oauth_version')
  inHeader.delete('oauth_signature')
  inHeader.delete('realm')
  return { consumerKey, token, method, timestamp, nonce, signature, version, inHeader }
}

/** The parameters of the base string, encoded and sorted (RFC 5849 §3.4.1.3.2). */
export function normalized(
  query: string,
  inHeader: ReadonlyMap<string, string>,
  { isPlusKept, areNamesRaw, areBareLeftOut }: Reading,
): string {
  const pairs = pairsIn(query)
    .filter(({ name, hasValue }) => name !== 'oauth_signature' && (hasValue || !areBareLeftOut))
    .map(({ name, value }): [string, string] => [
      encode(areNamesRaw ? name : decode(name, isPlusKept)),
      encode(decode(value, isPlusKept)),
    ])
  for (const [name, value] of inHeader) pairs.push([encode(name), encode(value)])
  return pairs
    .toSorted(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : x > y ? 1 : 0))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** RFC 5849 §3.6: everything but letters, digits and `-._~`. */
export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function parseHeader(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, name = '', value = ''] of text.matchAll(/([^\s,=]+)\s*=\s*"([^"]*)"/g)) {
    if (!found.has(name)) found.set(decode(name, true), decode(value, true))
  }
  return found
}

function queryParameters(query: string): [string, string][] {
  return pairsIn(query)
    .filter(({ name }) => name.startsWith('oauth_'))
    .map(({ name, value }) => [name, decode(value, false)])
}

function pairsIn(query: string): Pair[] {
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const end = part.indexOf('=')
      if (end === -1) return { name: part, value: '', hasValue: false }
      return { name: part.slice(0, end), value: part.slice(end + 1), hasValue: true }
    })
}

/** What is wrongly encoded is taken as it is: its signature will not fit. */
function decode(text: string, isPlusKept: boolean): string {
  const spaced = isPlusKept ? text : text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
