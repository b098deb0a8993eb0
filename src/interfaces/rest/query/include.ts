import { isShown } from '#content'
import { addPath, allBehind, behind, includeOf, type Paths, zoneInclude } from '#content-dialect'
import { type Attribute, type FieldSet, holdsComponents, isToMany } from '#content-model'
import type { Include } from '#content-query'
import { DomainError } from '#kernel'
import { isReference, visibleAttributes } from './members.ts'
import type { Context } from './parse.ts'

/** Relations and media below each other; the components between them are part of their record. */
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
  const tree: Paths = new Map()
  for (const entry of parameters.words('include') ?? []) {
    let depth = 0
    addPath(tree, entry.split('.'), [type], (sets: readonly FieldSet[], step) => {
      const attributes = sets.flatMap((set) => set.attribute.get(step) ?? []).filter(isShown)
      // Components are shown anyway; they are steps on the way to what they refer to.
      const targets = attributes.flatMap((attribute) => allBehind(model, attribute))
      if (targets.length === 0) throw badInclude(entry, 'is not a relation here')
      if (!attributes.every(holdsComponents)) depth++
      if (depth > MAX_DEPTH) throw badInclude(entry, `follows more than ${MAX_DEPTH} relations`)
      return targets.filter((target) => target !== 'files')
    })
  }
  return shown(type, tree, fields, 0)

  function shown(
    set: FieldSet,
    wanted: Paths,
    only: ReadonlySet<string> | null,
    nesting: number,
  ): Include[] {
    return visibleAttributes(set).flatMap((attribute) => {
      const { name } = attribute
      const asked = wanted.get(name)
      if (holdsComponents(attribute)) {
        const isLeftOut = only !== null && !asked && !only.has(name)
        if (isLeftOut || nesting === MAX_NESTING) return []
      } else if (!asked) {
        const isGiven = isReference(attribute) && (only?.has(`${name}_id`) ?? true)
        return isGiven ? [toInclude(attribute, { depth: 'ids' })] : []
      }
      const below = (target: FieldSet) => shown(target, asked ?? new Map(), null, nesting + 1)
      if (attribute.type === 'dynamiczone') return [zoneInclude(model, attribute, below)]
      const target = behind(model, attribute)
      const isSet = typeof target === 'object'
      const include = isSet ? below(target) : []
      return [toInclude(attribute, { include, named: attribute.type !== 'component' })]
    })
  }
}

function toInclude(attribute: Attribute, more: Partial<Include>): Include {
  const at = ['include', attribute.name]
  if (!isToMany(attribute)) return includeOf(attribute.name, { limit: 1, at, ...more })
  // Components are part of the record: whoever writes it back would take those away that were left out.
  if (attribute.type === 'component') return includeOf(attribute.name, { at, ...more })
  return includeOf(attribute.name, { limit: MAX_ITEMS, at, ...more })
}

function badInclude(entry: string, message: string): DomainError {
  const shownEntry = entry.slice(0, 200)
  return new DomainError('invalid', 'invalid_include', `include: ${shownEntry} ${message}`, {
    issues: [{ path: ['include'], rule: 'invalid_include', message: `${shownEntry} ${message}` }],
  })
}
