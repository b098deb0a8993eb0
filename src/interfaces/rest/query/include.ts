import {
  type Attribute,
  type Component,
  type ContentModel,
  type ContentType,
  isShown,
  isToMany,
} from '#content'
import type { Include } from '#content-query'
import { DomainError } from '#kernel'
import type { Context } from './context.ts'
import { isReference, visibleAttributes } from './members.ts'

/** What the caller asked for, by name; the leaves are empty. */
interface Tree extends Map<string, Tree> {}

const MAX_DEPTH = 3
const MAX_ITEMS = 100
/** Components inside components; a definition that contained itself would never end. */
const MAX_NESTING = 8

/**
 * Everything a record needs beside its own row: the ids of to-one relations and media, components,
 * and what `include` names (contract §2.1, §4).
 */
export function parseInclude(context: Context, fields: ReadonlySet<string> | null): Include[] {
  const { model, type, parameters } = context
  const wanted: Tree = new Map()
  for (const entry of parameters.words('include') ?? []) addEntry(context, wanted, entry)
  return shown(model, type, wanted, fields, 0)
}

function addEntry({ model, type }: Context, tree: Tree, entry: string): void {
  const steps = entry.split('.')
  if (steps.length > MAX_DEPTH) {
    throw badInclude(entry, `is ${steps.length} levels deep; ${MAX_DEPTH} are allowed`)
  }
  let set: ContentType | Component | undefined = type
  let branch = tree
  for (const step of steps) {
    const attribute: Attribute | undefined = set?.attribute.get(step)
    if (!attribute || !isIncludable(attribute)) throw badInclude(entry, 'is not a relation here')
    set = behind(model, attribute)
    branch = grow(branch, step)
  }
}

/** Components are shown anyway; they are steps on the way to what they refer to. */
function isIncludable(attribute: Attribute): boolean {
  return isShown(attribute) && ['relation', 'media', 'component'].includes(attribute.type)
}

function behind(model: ContentModel, attribute: Attribute): ContentType | Component | undefined {
  if (attribute.type === 'relation') return model.findType(attribute.target)
  if (attribute.type === 'component') return model.findComponent(attribute.component)
  return undefined
}

function grow(tree: Tree, step: string): Tree {
  const next: Tree = tree.get(step) ?? new Map()
  tree.set(step, next)
  return next
}

function shown(
  model: ContentModel,
  set: ContentType | Component,
  wanted: Tree,
  fields: ReadonlySet<string> | null,
  nesting: number,
): Include[] {
  return visibleAttributes(set).flatMap((attribute) => {
    const asked = wanted.get(attribute.name)
    if (attribute.type === 'component') {
      const isLeftOut = fields !== null && !asked && !fields.has(attribute.name)
      if (isLeftOut || nesting === MAX_NESTING) return []
    } else if (!asked) {
      const isShown = isReference(attribute) && (fields?.has(`${attribute.name}_id`) ?? true)
      return isShown ? [toInclude(attribute, 'ids', [])] : []
    }
    const target = behind(model, attribute)
    const below = target ? shown(model, target, asked ?? new Map(), null, nesting + 1) : []
    return [toInclude(attribute, 'entries', below)]
  })
}

function toInclude(
  attribute: Attribute,
  depth: Include['depth'],
  include: readonly Include[],
): Include {
  const limit = isToMany(attribute) ? MAX_ITEMS : 1
  const named = depth === 'entries' && attribute.type !== 'component'
  const at = ['include', attribute.name]
  return {
    field: attribute.name,
    filter: null,
    sort: [],
    start: 0,
    limit,
    include,
    depth,
    named,
    at,
  }
}

function badInclude(entry: string, message: string): DomainError {
  const shownEntry = entry.slice(0, 200)
  return new DomainError('invalid', 'invalid_include', `include: ${shownEntry} ${message}`, {
    issues: [{ path: ['include'], rule: 'invalid_include', message: `${shownEntry} ${message}` }],
  })
}
