/** What is kept with the browser: sealed, and in several cookies when one would be too large. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { random } from '#kernel'
import type { Context } from '../../plane/context.ts'
import { setForwardHeader } from '../../plane/headers.ts'
import { headersOf } from '../../plane/server/headers-of.ts'
import { lookUpForwarded } from '../../plane/variables.ts'
import type { Settings } from './settings.ts'

/** Browsers keep 4,096 bytes with the name and attributes. */
const CHUNK = 3_800
const MAX_CHUNKS = 6
const MAX_PLAIN_BYTES = 256 * 1024
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Purpose = 'session' | 'login'

/** Lines for `Set-Cookie`; null when the content does not fit. */
export type Lines = readonly string[]

export function createCookies(conf: Settings, sessionKey: Uint8Array) {
  const identity = `${conf.discovery}\n${conf.client_id}`
  const prefix = `gw_${createHash('sha256').update(identity).digest('hex').slice(0, 12)}`
  const secret = conf.session?.secret ?? sessionKey
  const key = Buffer.from(hkdfSync('sha256', secret, '', `session\n${identity}`, 32))
  return { session: `${prefix}_s`, login: `${prefix}_l_`, read, write, clear, hide, sent }

  /** The cookies of the client, the first of each name. */
  function sent(ctx: Context): ReadonlyMap<string, string> {
    const cookies = new Map<string, string>()
    for (const pair of (headersOf(ctx.request)['cookie'] ?? '').split(';')) {
      const equals = pair.indexOf('=')
      const name = pair.slice(0, equals).trim()
      if (equals > 0 && !cookies.has(name)) cookies.set(name, pair.slice(equals + 1).trim())
    }
    return cookies
  }

  /** Undefined when there is none, or when it is not ours or was changed. */
  function read(cookies: ReadonlyMap<string, string>, name: string, purpose: Purpose): unknown {
    const [, count, first] = /^(\d)\.([\w-]+)$/.exec(cookies.get(name) ?? '') ?? []
    if (first === undefined) return undefined
    const rest = Array.from(
      { length: Number(count) - 1 },
      (_, at) => cookies.get(`${name}.${at + 1}`) ?? '',
    )
    return open([first, ...rest].join(''), purpose)
  }

  function open(text: string, purpose: Purpose): unknown {
    const bytes = Buffer.from(text, 'base64url')
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
    try {
      const nonce = bytes.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES))
      const sealed = bytes.subarray(NONCE_BYTES, -TAG_BYTES)
      const packed = Buffer.concat([decipher.update(sealed), decipher.final()])
      const plain = inflateRawSync(packed, { maxOutputLength: MAX_PLAIN_BYTES })
      return JSON.parse(plain.toString('utf8'))
    } catch {
      return undefined
    }
  }

  function seal(content: object, purpose: Purpose): string {
    const nonce = random.bytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(purpose))
    const packed = deflateRawSync(JSON.stringify(content))
    const sealed = Buffer.concat([cipher.update(packed), cipher.final()])
    return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url')
  }

  function write(
    name: string,
    content: object,
    about: { readonly purpose: Purpose; readonly seconds: number; readonly isSecure: boolean },
  ): Lines | null {
    const text = seal(content, about.purpose)
    const count = Math.ceil(text.length / CHUNK)
    if (count > MAX_CHUNKS) return null
    const attributes = `; Path=/; Max-Age=${about.seconds}; HttpOnly; SameSite=Lax${about.isSecure ? '; Secure' : ''}`
    return Array.from({ length: count }, (_, at) => {
      const piece = text.slice(at * CHUNK, (at + 1) * CHUNK)
      return at === 0
        ? `${name}=${count}.${piece}${attributes}`
        : `${name}.${at}=${piece}${attributes}`
    })
  }

  /** Ends a cookie of ours with all its pieces. */
  function clear(cookies: ReadonlyMap<string, string>, name: string): Lines {
    return [...cookies.keys()]
      .filter((each) => each === name || each.startsWith(`${name}.`))
      .map((each) => `${each}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`)
  }

  /** Sessions are between the browser and the gateway. */
  function hide(ctx: Context): void {
    const sent = lookUpForwarded(ctx, 'http_cookie') ?? ''
    const pairs = sent.split(';').map((pair) => pair.trim())
    const others = pairs.filter((pair) => !pair.startsWith(prefix))
    if (others.length === pairs.length) return
    setForwardHeader(ctx, 'Cookie', others.length === 0 ? null : others.join('; '))
  }
}

export type Cookies = ReturnType<typeof createCookies>
