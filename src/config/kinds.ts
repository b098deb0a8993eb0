import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import Type, { type TSchema } from 'typebox'
import { checkCron } from '#cron'
import { parseDate } from '#kernel'

/** What every setting can say about itself, kept as options of its schema. */
export interface About {
  readonly default?: unknown
  /** In words, how the default follows from other settings or the machine; `derive.ts` computes it. */
  readonly derived?: string
  /** Never shown, not even in an error message. */
  readonly secret?: boolean
  /** In an area that can be changed at run time, a member that only file and environment set. */
  readonly fixed?: boolean
  /** The member name where a contract prescribes another spelling than snake_case. */
  readonly name?: string
}

/** Longer ones lead to times that no calendar has, and that no row can be read with. */
export const CENTURY_DAYS = 36_500
export const CENTURY_SECONDS = CENTURY_DAYS * 86_400

interface Range extends About {
  readonly min?: number
  readonly max?: number
}

export function whole(description: string, { min = 0, max, ...about }: Range = {}) {
  const expects =
    max === undefined ? `a whole number, ${min} or more` : `a whole number from ${min} to ${max}`
  const maximum = max ?? Number.MAX_SAFE_INTEGER
  return Type.Integer({ ...about, description, expects, minimum: min, maximum })
}

export function port(description: string, about: About = {}) {
  return whole(description, { ...about, min: 0, max: 65_535 })
}

export function share(description: string, about: About = {}) {
  return Type.Number({ ...about, description, expects: 'from 0 to 1', minimum: 0, maximum: 1 })
}

export function flag(description: string, about: About = {}) {
  return Type.Boolean({ ...about, description, expects: 'true or false' })
}

export function oneOf<const Names extends string[]>(
  names: readonly [...Names],
  description: string,
  about: About = {},
) {
  return Type.Enum(names, { ...about, description, expects: `one of ${names.join(', ')}` })
}

interface Text extends About {
  readonly expects?: string
  readonly minLength?: number
  readonly pattern?: string
}

export function text(description: string, about: Text = {}) {
  const minLength = about.minLength ?? 1
  const expects = minLength > 1 ? `text of at least ${minLength} characters` : 'text, not empty'
  return Type.String({ expects, ...about, description, minLength, maxLength: 4_096 })
}

/** A certificate and its key. */
export function keyPair(description: string) {
  const expects = '{"cert", "key"}, each PEM or the path of a file that holds it'
  const pem = Type.String({ minLength: 1, maxLength: 65_536 })
  const about = { description, expects, secret: true, additionalProperties: false }
  return Type.Object({ cert: pem, key: pem }, about)
}

/** `url` makes `config` hide only the password inside, so that the rest can be checked by eye. */
export function url(description: string, protocols: readonly string[], about: About = {}) {
  const expects = `a URL that starts with ${protocols.map((p) => `${p}://`).join(' or ')}`
  const base = Type.String({ ...about, description, expects, maxLength: 4_096, url: true })
  return Type.Refine(base, (value) => {
    return URL.canParse(value) && protocols.includes(new URL(value).protocol.slice(0, -1))
  })
}

export function date(description: string, about: About = {}) {
  const expects = 'a date such as 2027-01-31'
  const base = Type.String({ ...about, description, expects, maxLength: 10 })
  return Type.Refine(base, (value) => parseDate(value) !== undefined)
}

/** When something is to be done again and again, in UTC. */
export function cron(description: string, about: About = {}) {
  const expects = 'a cron expression such as "30 3 * * *", or @daily'
  const base = Type.String({ ...about, description, expects, maxLength: 200 })
  return Type.Refine(base, (value) => checkCron(value) === null)
}

export function texts(description: string, about: About = {}) {
  const expects = 'a list of texts'
  const item = Type.String({ minLength: 1 })
  return Type.Array(item, { ...about, description, expects, uniqueItems: true, maxItems: 1_000 })
}

export function numbers(description: string, { min = 0, max = 0, ...about }: Range = {}) {
  const expects = `a list of whole numbers from ${min} to ${max}`
  const item = Type.Integer({ minimum: min, maximum: max })
  return Type.Array(item, { ...about, description, expects, maxItems: 100 })
}

export function someOf<const Names extends string[]>(
  names: readonly [...Names],
  description: string,
  about: About = {},
) {
  const expects = `a list of one or more of ${names.join(', ')}`
  const options = { ...about, description, expects, minItems: 1, uniqueItems: true }
  return Type.Array(Type.Enum(names), options)
}

export function networks(description: string, about: About = {}) {
  const expects = 'a list of networks such as 10.0.0.0/8, ::1/128 or 192.0.2.7'
  return listOf(isNetwork, expects, description, about)
}

export function origins(description: string, about: About = {}) {
  const expects = 'a list of origins such as https://example.org, or *'
  return listOf(isOrigin, expects, description, about)
}

export function directories(description: string, about: About = {}) {
  const expects = 'a list of absolute paths of directories'
  return listOf((item) => isAbsolute(item), expects, description, about)
}

export function files(description: string, about: About = {}) {
  const expects = 'a list of absolute paths of files'
  return listOf((item) => isAbsolute(item), expects, description, about)
}

export function prefixes(description: string, about: About = {}) {
  const expects = 'a list of path prefixes such as /apisix/admin'
  return listOf((item) => /^(\/[\w.~-]+)+$/.test(item), expects, description, about)
}

/** A group of settings. `live` ones can also be changed while the server runs. */
export function group<Members extends Record<string, TSchema>>(members: Members) {
  return Type.Object(members, { additionalProperties: false })
}

export function live<Members extends Record<string, TSchema>>(members: Members) {
  return Type.Object(members, { additionalProperties: false, live: true })
}

function listOf(
  accepts: (item: string) => boolean,
  expects: string,
  description: string,
  about: About,
) {
  const options = { ...about, description, expects, uniqueItems: true, maxItems: 1_000 }
  return Type.Refine(Type.Array(Type.String(), options), (items) => items.every(accepts))
}

function isNetwork(item: string): boolean {
  const [address = '', prefix, ...rest] = item.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}

function isOrigin(item: string): boolean {
  if (item === '*') return true
  return /^https?:/.test(item) && URL.canParse(item) && new URL(item).origin === item
}
