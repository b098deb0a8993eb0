import type { ContentType } from '#content-model'
import { renderTime } from '#kernel'
import type { KnownUser } from '../deps.ts'
import { JSONAPI } from '../errors.ts'
import type { Fieldsets } from '../query/parameters.ts'
import type { Catalogue } from '../target/catalogue.ts'

/** What resources are rendered with. */
export interface View {
  readonly catalogue: Catalogue
  /** `https://host/jsonapi`, with the language in between where the request had one, escaped for JSON. */
  readonly base: string
  readonly fields: Fieldsets
  /** Those who made the entries that are shown, by number. */
  readonly users: ReadonlyMap<number, KnownUser>
  /** Whether the type exists for the caller. */
  mayRead(type: ContentType): boolean
  /** Whose address may be shown to the caller. */
  maySeeAddress(user: KnownUser): boolean
}

/** One member of `attributes` or `relationships`: its name and its JSON. */
export type Member = readonly [name: string, json: string]

export function isWanted({ fields }: View, type: string, name: string): boolean {
  return fields.get(type)?.has(name) ?? true
}

/** Gathers the insides of a JSON object: those members that the fieldset lets through. */
export class Members {
  text = ''
  readonly #only: ReadonlySet<string> | undefined

  constructor({ fields }: Pick<View, 'fields'>, type: string) {
    this.#only = fields.get(type)
  }

  /** Names are those of the program or of attributes, which need no escaping. */
  add(name: string, json: string): void {
    if (this.#only && !this.#only.has(name)) return
    this.text += this.text === '' ? `"${name}":${json}` : `,"${name}":${json}`
  }
}

/** The same of a list; '' when there is none. */
export function renderMembers(view: View, type: string, members: readonly Member[]): string {
  const shown = new Members(view, type)
  for (const [name, json] of members) shown.add(name, json)
  return shown.text
}

function renderLink(href: string): string {
  return `{"href":${JSON.stringify(href)}}`
}

/** Times of the resource itself, in whole seconds. */
export function renderSeconds(ms: number): string {
  return `"${renderTime(ms).slice(0, 19)}+00:00"`
}

interface Identifier {
  readonly type: string
  readonly id: string
  readonly meta: Readonly<Record<string, unknown>>
}

export function renderIdentifier({ type, id, meta }: Identifier): string {
  return `{"type":"${type}","id":"${id}","meta":${JSON.stringify(meta)}}`
}

/** What is shown most: an identifier that says no more than the number of its target. */
export function renderNumbered(type: string, id: string, no: number): string {
  return `{"type":"${type}","id":"${id}","meta":{"drupal_internal__target_id":${no}}}`
}

interface Relationship {
  /** The URL of the resource, as `self` above. */
  readonly of: string
  readonly name: string
  /** `?resourceVersion=…` or ''. */
  readonly version: string
  /** Undefined: only the links say where it is. */
  readonly data: string | undefined
}

export function renderRelationship({ of, name, version, data }: Relationship): string {
  const linkage = data === undefined ? '' : `"data":${data},`
  const related = `{"href":"${of}/${name}${version}"}`
  const self = `{"href":"${of}/relationships/${name}${version}"}`
  return `{${linkage}"links":{"related":${related},"self":${self}}}`
}

const HEAD = `{"jsonapi":${JSON.stringify(JSONAPI)},`

interface Document {
  /** JSON: an object, a list or null. */
  readonly data: string
  /** Undefined when nothing was asked to be included. */
  readonly included?: readonly string[] | undefined
  readonly meta?: Readonly<Record<string, unknown>> | undefined
  readonly links: Readonly<Record<string, string>>
}

/** A whole document; links are given as URLs. */
export function renderDocument({ data, included, meta, links }: Document): string {
  const more = included === undefined ? '' : `,"included":[${included.join(',')}]`
  const about = meta === undefined ? '' : `,"meta":${JSON.stringify(meta)}`
  return `${HEAD}"data":${data}${more}${about},"links":${renderLinks(links)}}`
}

function renderLinks(links: Readonly<Record<string, string>>): string {
  const members = Object.entries(links).map(
    ([name, href]) => `${JSON.stringify(name)}:${renderLink(href)}`,
  )
  return `{${members.join(',')}}`
}

interface Parts {
  readonly type: string
  readonly id: string
  /** Begins with the view's base; the names and ids behind it need no escaping. */
  readonly self: string
  /** The insides of the objects. */
  readonly attributes: string
  readonly relationships?: string
}

export function renderResource({ type, id, self, attributes, relationships }: Parts): string {
  const head = `{"type":"${type}","id":"${id}","links":{"self":{"href":"${self}"}}`
  const values = attributes === '' ? '' : `,"attributes":{${attributes}}`
  const related = relationships ? `,"relationships":{${relationships}}` : ''
  return `${head}${values}${related}}`
}
