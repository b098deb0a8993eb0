/** What a proxy does with a header, found once per spelling of its name. */
export const PASS = 0
/** Belongs to one connection (RFC 9110 §7.6.1): never passed on. */
export const HOP = 1
export const CONNECTION = 2
export const CONTENT_LENGTH = 3
export const TRANSFER_ENCODING = 4
export const KEEP_ALIVE = 5
export const HOST = 6
export const TE = 7
/** Says for whom a request was forwarded. */
export const FORWARDING = 8
/** Says who calls; only the gateway may say it on a route that authenticates. */
export const IDENTITY = 9
export const REQUEST_ID = 10
export const EXPECT = 11
export const UPGRADE = 12
/** Not a name at all. */
export const INVALID = 13

/** A map: a header may be called `constructor`. */
const KINDS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    connection: CONNECTION,
    'content-length': CONTENT_LENGTH,
    'transfer-encoding': TRANSFER_ENCODING,
    'keep-alive': KEEP_ALIVE,
    host: HOST,
    te: TE,
    'proxy-connection': HOP,
    'proxy-authenticate': HOP,
    'proxy-authorization': HOP,
    trailer: HOP,
    // Between our own gateway and our own API only (`built-in.ts`).
    'x-entrepot-forwarded': HOP,
    upgrade: UPGRADE,
    expect: EXPECT,
    'x-request-id': REQUEST_ID,
    forwarded: FORWARDING,
    'x-real-ip': FORWARDING,
    'x-forwarded-for': FORWARDING,
    'x-forwarded-proto': FORWARDING,
    'x-forwarded-host': FORWARDING,
    'x-forwarded-port': FORWARDING,
    'x-credential-identifier': IDENTITY,
    'x-userinfo': IDENTITY,
    'x-access-token': IDENTITY,
    'x-id-token': IDENTITY,
    'x-user-id': IDENTITY,
    'x-api-key-id': IDENTITY,
  }),
)

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** The spelling seen last in each place; clients use few. A `Map` would intern every name it is asked for. */
const PLACES = 1024
const names = new Array<string>(PLACES).fill('')
const kinds = new Uint8Array(PLACES).fill(INVALID)

export function kindOf(name: string): number {
  const { length } = name
  const ends = name.charCodeAt(0) * 31 + name.charCodeAt(length - 1)
  const place = (ends * 17 + name.charCodeAt(length >> 1) * 7 + length) & (PLACES - 1)
  if (names[place] === name) return kinds[place] ?? INVALID
  const kind = classify(name)
  names[place] = name
  kinds[place] = kind
  return kind
}

function classify(name: string): number {
  if (!TOKEN.test(name)) return INVALID
  const lower = name.toLowerCase()
  if (lower.startsWith('x-consumer-') || lower.startsWith('x-plan-')) return IDENTITY
  if (lower.startsWith('x-forwarded-')) return FORWARDING
  return KINDS.get(lower) ?? PASS
}
