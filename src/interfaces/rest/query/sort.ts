import { isCompared, isShown } from '#content'
import { type Attribute, type ContentType, isScalar, isToMany } from '#content-model'
import type { SortKey } from '#content-query'
import { badParameter } from '#paging'
import { TIME_NAMES } from './filters.ts'
import type { Context } from './parse.ts'

export interface Sorting {
  readonly sort: string
  readonly order: 'asc' | 'desc'
  readonly keys: readonly SortKey[]
}

export function parseSort(context: Context): Sorting {
  const { type, parameters } = context
  const sort = parameters.text('sort') ?? 'id'
  const order = parameters.text('order') ?? 'asc'
  if (order !== 'asc' && order !== 'desc') throw badParameter('order', 'must be asc or desc')
  const path = fieldPath(type, sort) ?? relationPath(context, sort)
  if (path === undefined) {
    throw badParameter('sort', `cannot be ${sort.slice(0, 200)}: this list has no such order`)
  }
  return { sort, order, keys: [{ path, order }] }
}

function fieldPath(type: ContentType, name: string): string[] | undefined {
  if (name === 'id') return ['id']
  const time = TIME_NAMES.get(name)
  if (time !== undefined) {
    return name === 'published_at' && !type.draftAndPublish ? undefined : [time]
  }
  const attribute = type.attribute.get(name)
  return attribute && isSortable(attribute) ? [name] : undefined
}

function isSortable(attribute: Attribute): boolean {
  return isShown(attribute) && isScalar(attribute) && isCompared(attribute)
}

function relationPath({ model, type }: Context, name: string): string[] | undefined {
  const [relation = '', field, ...rest] = name.split('.')
  const attribute = type.attribute.get(relation)
  if (field === undefined || rest.length > 0 || attribute?.type !== 'relation') return undefined
  if (attribute.private || isToMany(attribute)) return undefined
  const target = model.findType(attribute.target)
  const path = target && fieldPath(target, field)
  return path && [relation, ...path]
}
