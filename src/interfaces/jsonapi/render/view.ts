import type { ContentType } from '#content'
import type { Catalogue } from '../catalogue.ts'
import type { KnownUser } from '../deps.ts'
import type { Fieldsets } from '../query/fields.ts'

/** What resources are rendered with. */
export interface View {
  readonly catalogue: Catalogue
  /** `https://host/jsonapi`, with the language in between where the request had one. */
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

/** As a JSON object of those members that the fieldset lets through; '' when there is none. */
export function renderMembers(view: View, type: string, members: readonly Member[]): string {
  const only = view.fields.get(type)
  const shown = only ? members.filter(([name]) => only.has(name)) : members
  return shown.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')
}

interface Parts {
  readonly type: string
  readonly id: string
  readonly self: string
  /** The insides of the objects. */
  readonly attributes: string
  readonly relationships?: string
}

export function renderResource({ type, id, self, attributes, relationships }: Parts): string {
  const links = `"links":{"self":${renderLink(self)}}`
  const head = `{"type":${JSON.stringify(type)},"id":"${id}",${links}`
  const values = attributes === '' ? '' : `,"attributes":{${attributes}}`
  const related = relationships ? `,"relationships":{${relationships}}` : ''
  return `${head}${values}${related}}`
}

export function renderLink(href: string): string {
  return `{"href":${JSON.stringify(href)}}`
}

/** Times of the resource itself, in whole seconds. */
export function renderSeconds(ms: number): string {
  return `"${new Date(ms).toISOString().slice(0, 19)}+00:00"`
}

interface Identifier {
  readonly type: string
  readonly id: string
  readonly meta: Readonly<Record<string, unknown>>
}

export function renderIdentifier({ type, id, meta }: Identifier): string {
  return `{"type":${JSON.stringify(type)},"id":"${id}","meta":${JSON.stringify(meta)}}`
}

interface Relationship {
  /** The URL of the resource. */
  readonly of: string
  readonly name: string
  /** `?resourceVersion=…` or ''. */
  readonly version: string
  /** Undefined: only the links say where it is. */
  readonly data: string | undefined
}

export function renderRelationship({ of, name, version, data }: Relationship): string {
  const related = renderLink(`${of}/${name}${version}`)
  const self = renderLink(`${of}/relationships/${name}${version}`)
  const linkage = data === undefined ? '' : `"data":${data},`
  return `{${linkage}"links":{"related":${related},"self":${self}}}`
}
