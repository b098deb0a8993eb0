import { isObject, isUuid } from '#kernel'
import { badDocument, refusalAt } from '../errors.ts'
import type { Catalogue } from '../target/catalogue.ts'
import type { Relation } from '../target/names.ts'

export interface Identifier {
  readonly type: string
  readonly id: string
}

/** Linkage as it was sent: null, one identifier or a list (contract §7.3). */
export function parseLinkage(
  catalogue: Catalogue,
  relation: Relation,
  data: unknown,
  at: string,
): readonly string[] {
  if (relation.many) {
    if (!Array.isArray(data)) throw badDocument(at, `${relation.wire} needs a list of identifiers`)
    return data.map((each, index) => parseTarget(catalogue, relation, each, `${at}/${index}`))
  }
  if (data === null) return []
  if (Array.isArray(data)) throw badDocument(at, `${relation.wire} takes one identifier or null`)
  return [parseTarget(catalogue, relation, data, at)]
}

/** The id of what an identifier names; whether it exists the store will say. */
function parseTarget(catalogue: Catalogue, relation: Relation, value: unknown, at: string): string {
  const { type, id } = parseIdentifier(value, at)
  if (!mayPoint(catalogue, relation, type)) {
    const message = `${relation.wire} takes ${targetNames(catalogue, relation)}, not ${type}`
    throw refusalAt('unprocessable', 'wrong_target_type', { pointer: `${at}/type` }, message)
  }
  if (!isUuid(id)) {
    const message = `There is no ${type} ${id}`
    throw refusalAt('not_found', 'target_not_found', { pointer: at }, message)
  }
  return id.toLowerCase()
}

export function parseIdentifier(value: unknown, at: string): Identifier {
  if (!isObject(value)) throw badDocument(at, 'An identifier is an object with type and id')
  const { type, id } = value
  if (typeof type !== 'string') throw badDocument(at, 'The identifier has no type', 'type')
  if (typeof id !== 'string') throw badDocument(at, 'The identifier has no id', 'id')
  return { type, id }
}

/** An item of the media library and its file are the same, so both names lead to it. */
function mayPoint(catalogue: Catalogue, { attribute }: Relation, type: string): boolean {
  if (attribute.type === 'media') return type.startsWith('media--') || type === 'file--file'
  const target = catalogue.model.findType(attribute.target)
  return target !== undefined && [catalogue.namesOf(target).name, target.bundle].includes(type)
}

function targetNames(catalogue: Catalogue, { attribute }: Relation): string {
  if (attribute.type === 'media') return 'media'
  const target = catalogue.model.findType(attribute.target)
  return target ? catalogue.namesOf(target).name : attribute.target
}
