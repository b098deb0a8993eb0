import {
  constants,
  createHmac,
  createPublicKey,
  type KeyObject,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import Type, { type Static } from 'typebox'
import { createLru, isObject, memoize } from '#kernel'
import type { Context } from '../plane/context.ts'
import { headerNameFault, setForwardHeader } from '../plane/headers.ts'
import {
  fromCookie,
  fromHeader,
  fromQuery,
  identify,
  identifyAnonymous,
  type Presented,
} from '../plane/identify.ts'
import { definePlugin, type PluginAnswer } from '../plane/plugin.ts'
import { conforms } from '../resources/check.ts'
import type { JsonObject } from '../resources/values.ts'

const ALGORITHMS = [
  'HS256',
  'HS384',
  'HS512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const
const NAME = Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$', expects: 'must be a name' })
const CURVES: ReadonlyMap<string, string> = new Map([
  ['ES256', 'prime256v1'],
  ['ES384', 'secp384r1'],
  ['ES512', 'secp521r1'],
])
const MIN_RSA_BITS = 2048

const SCHEMA = Type.Object({
  header: Type.Optional(NAME),
  query: Type.Optional(NAME),
  cookie: Type.Optional(NAME),
  key_claim_name: Type.Optional(Type.String({ minLength: 1 })),
  hide_credentials: Type.Optional(Type.Boolean()),
  claims_to_verify: Type.Optional(Type.Array(Type.Enum(['exp', 'nbf']), { uniqueItems: true })),
  realm: Type.Optional(
    Type.String({ pattern: '^[ !#-[\\]-~]{0,256}$', expects: 'must be a text without quotes' }),
  ),
  anonymous_consumer: Type.Optional(Type.String({ minLength: 1 })),
  claims_to_headers: Type.Optional(Type.Record(Type.String(), Type.String({ minLength: 1 }))),
})

const CONSUMER = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 4096 }),
  algorithm: Type.Optional(Type.Enum([...ALGORITHMS])),
  secret: Type.Optional(Type.String({ minLength: 1 })),
  base64_secret: Type.Optional(Type.Boolean()),
  public_key: Type.Optional(Type.String({ minLength: 1 })),
  lifetime_grace_period: Type.Optional(Type.Integer({ minimum: 0 })),
})

type Settings = Static<typeof CONSUMER>

/** Lets in whoever presents a token that a consumer's key has signed. */
export default definePlugin({
  name: 'jwt-auth',
  priority: 2510,
  authenticates: true,
  secrets: ['secret'],
  schema: SCHEMA,
  consumerSchema: CONSUMER,
  unsupported: new Map([['store_in_ctx', false]]),
  // Tokens are checked here and never issued.
  consumerUnsupported: new Map<string, unknown>([
    ['exp', 86_400],
    ['private_key', undefined],
    ['vault', undefined],
  ]),
  findFaults({ claims_to_headers: copied = {} }) {
    return Object.entries(copied).flatMap(([claim, header]) => {
      const message = headerNameFault(header)
      return message === null ? [] : [{ path: `/claims_to_headers/${claim}`, message }]
    })
  },
  findConsumerFaults: keyFaults,
  credentialArgument: argumentOf,
  setup(conf, { clock }) {
    const { claims_to_headers: copied = {} } = conf
    return {
      rewrite(ctx) {
        const presented = find(ctx, conf)
        const outcome = presented ? check(ctx, presented.value, conf, clock.now()) : 'JWT missing'
        const isGood = typeof outcome !== 'string'
        if (isGood && conf.hide_credentials) presented?.hide()
        for (const [claim, header] of Object.entries(copied)) {
          // Whoever has no token has no claims, whatever they say of themselves.
          const value = isGood ? ownMember(outcome, claim) : undefined
          setForwardHeader(ctx, header, value === undefined ? null : String(value))
        }
        if (isGood) return undefined
        const anonymous = conf.anonymous_consumer
        if (anonymous !== undefined && identifyAnonymous(ctx, anonymous)) return undefined
        return refusal(outcome, conf.realm)
      },
    }
  },
})

function find(ctx: Context, conf: Static<typeof SCHEMA>): Presented | undefined {
  return (
    fromHeader(ctx, conf.header ?? 'authorization') ??
    fromQuery(ctx, argumentOf(conf)) ??
    fromCookie(ctx, conf.cookie ?? 'jwt')
  )
}

function argumentOf({ query = 'jwt' }: Static<typeof SCHEMA>): string {
  return query
}

function refusal(message: string, realm = 'jwt'): PluginAnswer {
  const headers = { 'WWW-Authenticate': `Bearer realm="${realm}"` }
  return { status: 401, headers, body: { message } }
}

/** The claims of a token that is accepted, else why it is not. Settles who calls. */
function check(
  ctx: Context,
  given: string,
  conf: Static<typeof SCHEMA>,
  nowMs: number,
): Record<string, unknown> | string {
  const known = verified.find(given)
  const token = known?.token ?? parse(given.replace(/^bearer +/i, ''))
  if (!token) return 'JWT malformed'
  const { header, claims, signed, signature } = token
  const name = conf.key_claim_name ?? 'key'
  const key = ownMember(claims, name) ?? ownMember(header, name)
  const found = typeof key === 'string' ? ctx.consumers.findByKey('jwt-auth', key) : undefined
  if (!found) return 'JWT key unknown'
  // Settings are other objects once they were written anew.
  const isKnown = known !== undefined && known.stored === found.settings
  const settings = isKnown ? known.settings : toSettings(found.settings)
  if (!settings) return 'JWT key unknown'
  const algorithm = settings.algorithm ?? 'HS256'
  // The consumer says how it signs; what the token says only has to agree (RFC 8725 §3.1).
  const isRight =
    header['alg'] === algorithm &&
    header['crit'] === undefined &&
    (isKnown || isSigned(settings, algorithm, signed, signature)) &&
    isTimely(claims, settings, conf.claims_to_verify ?? [], nowMs)
  if (!isRight) return 'JWT not accepted'
  if (!isKnown && given.length <= LONGEST_KEPT) {
    verified.keep(given, { token, stored: found.settings, settings })
  }
  identify(ctx, found)
  return claims
}

/**
 * Tokens whose signature was right by these very settings. Verifying costs as much as all the rest of
 * a request. Everything else is checked for each request: whose key it is, time, and the settings.
 */
const verified = createLru<string, Verified>(5_000)
const LONGEST_KEPT = 4096

interface Verified {
  readonly token: Token
  readonly stored: JsonObject
  readonly settings: Settings
}

function toSettings(stored: JsonObject): Settings | undefined {
  return conforms(CONSUMER, stored) ? stored : undefined
}

/** Of an object that somebody else has written. */
function ownMember(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

interface Token {
  readonly header: Record<string, unknown>
  readonly claims: Record<string, unknown>
  readonly signed: string
  readonly signature: Buffer
}

function parse(token: string): Token | undefined {
  const [head, body, signature, ...rest] = token.split('.')
  if (head === undefined || body === undefined || signature === undefined || rest.length > 0) return
  if (![head, body, signature].every((part) => /^[\w-]+$/.test(part))) return
  const header = decode(head)
  const claims = decode(body)
  if (!header || !claims) return
  return {
    header,
    claims,
    signed: `${head}.${body}`,
    signature: Buffer.from(signature, 'base64url'),
  }
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isSigned(
  settings: Settings,
  algorithm: string,
  signed: string,
  signature: Buffer,
): boolean {
  const hash = `sha${algorithm.slice(2)}`
  const data = Buffer.from(signed)
  if (algorithm.startsWith('HS')) {
    if (settings.secret === undefined) return false
    const secret = Buffer.from(settings.secret, settings.base64_secret ? 'base64' : 'utf8')
    const expected = createHmac(hash, secret).update(data).digest()
    return expected.length === signature.length && timingSafeEqual(expected, signature)
  }
  const key = readKey(settings.public_key)
  if (!key) return false
  if (algorithm === 'EdDSA') return verify(null, data, key, signature)
  if (algorithm.startsWith('ES')) {
    return verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, signature)
  }
  const padding = algorithm.startsWith('PS')
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : { padding: constants.RSA_PKCS1_PADDING }
  return verify(hash, data, { key, ...padding }, signature)
}

function isTimely(
  claims: Record<string, unknown>,
  { lifetime_grace_period: grace = 0 }: Settings,
  required: readonly string[],
  nowMs: number,
): boolean {
  const now = nowMs / 1000
  const { exp, nbf } = claims
  if (required.includes('exp') && exp === undefined) return false
  if (required.includes('nbf') && nbf === undefined) return false
  if (exp !== undefined && !(typeof exp === 'number' && exp > now - grace)) return false
  return nbf === undefined || (typeof nbf === 'number' && nbf <= now + grace)
}

/** Of either alphabet, padded or not. */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

function keyFaults({ algorithm = 'HS256', secret, base64_secret: isCoded, ...rest }: Settings) {
  const { public_key: pem } = rest
  if (algorithm.startsWith('HS')) {
    if (secret === undefined) return [{ path: '/secret', message: `is required for ${algorithm}` }]
    if (!isCoded || (BASE64.test(secret) && secret.replace(/=+$/, '').length % 4 !== 1)) return []
    return [{ path: '/secret', message: 'must be base64, as base64_secret says' }]
  }
  if (pem === undefined) return [{ path: '/public_key', message: `is required for ${algorithm}` }]
  const key = readKey(pem)
  const path = '/public_key'
  if (!key) return [{ path, message: 'must be a public key in PEM form' }]
  const type = key.asymmetricKeyType ?? ''
  const details = key.asymmetricKeyDetails
  if (algorithm === 'EdDSA') {
    return type.startsWith('ed') ? [] : [{ path, message: 'must be an Ed25519 or Ed448 key' }]
  }
  if (algorithm.startsWith('ES')) {
    const isCurve = details?.namedCurve === CURVES.get(algorithm)
    return isCurve ? [] : [{ path, message: `must be a key on the curve of ${algorithm}` }]
  }
  if (!type.startsWith('rsa')) return [{ path, message: 'must be an RSA key' }]
  const isLong = (details?.modulusLength ?? 0) >= MIN_RSA_BITS
  return isLong ? [] : [{ path, message: `must have at least ${MIN_RSA_BITS} bits` }]
}

const MAX_KEYS = 10_000

/** Reading a key costs as much as verifying with it, so it is done once per text. */
const keyOf = memoize(MAX_KEYS, tryKey)

function readKey(pem: string | undefined): KeyObject | undefined {
  return pem === undefined ? undefined : keyOf(pem)
}

function tryKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem)
  } catch {
    return undefined
  }
}
