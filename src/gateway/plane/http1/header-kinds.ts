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
    'http2-settings': HOP,
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
const PLACE_BITS = 11
const PLACES = 2 ** PLACE_BITS
const names = new Array<string>(PLACES).fill('')
const lowers = new Array<string>(PLACES).fill('')
const kinds = new Uint8Array(PLACES).fill(INVALID)

export function kindOf(name: string): number {
  return kinds[placeOf(name)] ?? INVALID
}

/** In lower case, and each time the same string: making it anew costs more than all that follows. */
export function lowerOf(name: string): string {
  return lowers[placeOf(name)] ?? ''
}

function placeOf(name: string): number {
  const place = hashOf(name) >>> (32 - PLACE_BITS)
  if (names[place] !== name) {
    names[place] = name
    lowers[place] = name.toLowerCase()
    kinds[place] = classify(name)
  }
  return place
}

/** Of few characters, chosen so that names which are used together do not share a place. */
function hashOf(name: string): number {
  const { length } = name
  let hash = Math.imul(length, 31) ^ name.charCodeAt(0)
  hash = Math.imul(hash, 31) ^ name.charCodeAt(length - 1)
  hash = Math.imul(hash, 31) ^ name.charCodeAt(length >> 1)
  if (length > 3) hash = Math.imul(hash, 31) ^ name.charCodeAt(length - 3)
  return Math.imul(hash, 0x9e3779b1)
}

function classify(name: string): number {
  if (!TOKEN.test(name)) return INVALID
  const lower = name.toLowerCase()
  // Upstreams that make variables of headers read `X_Plan_Id` as `X-Plan-Id` (RFC 3875 §4.1.18).
  const read = lower.replaceAll('_', '-')
  if (read.startsWith('x-consumer-') || read.startsWith('x-plan-')) return IDENTITY
  if (read.startsWith('x-forwarded-')) return FORWARDING
  const kind = KINDS.get(read) ?? PASS
  return read === lower || kind === IDENTITY || kind === FORWARDING ? kind : PASS
}
