import type { EntryTarget } from '#content'
import { graphqlName, parseTarget } from '#content-dialect'
import type { ContentType } from '#content-model'
import type { LocaleChoice } from '#content-query'
import { invalid } from '#kernel'

const ENTRY = /^e(\d+):(\d+)$/
const FILE = /^f:(\d+)$/

/** `blog-post` is asked for as `blogPost`. */
export function oneName({ singularName }: ContentType): string {
  return lowered(graphqlName(singularName))
}

export function listName({ pluralName }: ContentType): string {
  return lowered(graphqlName(pluralName))
}

function lowered(name: string): string {
  return `${name[0]?.toLowerCase() ?? ''}${name.slice(1)}`
}

/** What a global id names. */
type Named =
  | { readonly kind: 'entry'; readonly typeNo: number; readonly id: string }
  | { readonly kind: 'file'; readonly id: string }

/** An id that is one of its kind over all types: Relay refetches by it. */
export function globalId(of: ContentType | 'files', id: number): string {
  return encode(of === 'files' ? `f:${id}` : `e${of.no}:${id}`)
}

/** Undefined for everything that is no global id, such as the number of an entry. */
export function parseGlobalId(text: string): Named | undefined {
  const inner = Buffer.from(text, 'base64url').toString('latin1')
  if (encode(inner) !== text) return undefined
  const [, typeNo, id] = ENTRY.exec(inner) ?? []
  if (typeNo !== undefined && id !== undefined) return { kind: 'entry', typeNo: Number(typeNo), id }
  const [, file] = FILE.exec(inner) ?? []
  return file === undefined ? undefined : { kind: 'file', id: file }
}

/** The number or documentId that an id means in this type; undefined when it is of another type. */
export function plainId(text: string, of: ContentType | 'files'): string | undefined {
  const named = parseGlobalId(text)
  if (!named) return text
  const isOwn =
    of === 'files' ? named.kind === 'file' : named.kind === 'entry' && named.typeNo === of.no
  return isOwn ? named.id : undefined
}

/** Which entry a change is meant for; undefined when there can be none. */
export function targetOf(
  id: string,
  type: ContentType,
  locale: LocaleChoice,
): EntryTarget | undefined {
  const plain = plainId(id, type)
  return plain === undefined ? undefined : parseTarget(plain, locale)
}

/** A reference in a filter or an input. */
export function referenceTo(text: string, of: ContentType | 'files', name: string): string {
  const plain = plainId(text, of)
  if (plain !== undefined) return plain
  const message = `${name}: the id is one of another type`
  throw invalid([{ path: [name], rule: 'invalid', message }])
}

function encode(text: string): string {
  return Buffer.from(text, 'latin1').toString('base64url')
}
