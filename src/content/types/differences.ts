import { type Attribute, heldBy } from '../model.ts'
import { isSame } from './definition.ts'
import type { DesignedComponent, DesignedType } from './design.ts'

/** What happens to one attribute of an existing type or component. */
export type AttributeChange =
  | { readonly action: 'add'; readonly after: Attribute }
  | { readonly action: 'remove'; readonly before: Attribute }
  /** With another number its values move into new columns. */
  | { readonly action: 'change'; readonly before: Attribute; readonly after: Attribute }

/** In declared order, what is removed last. */
export function differences({
  before,
  definition,
  converted,
}: DesignedType | DesignedComponent): AttributeChange[] {
  if (definition === before?.definition) return []
  const old = new Map((before?.definition.attributes ?? []).map((each) => [each.no, each]))
  const kept = new Set<number>()
  const changes = definition.attributes.flatMap((after): AttributeChange[] => {
    const prior = old.get(after.no) ?? converted.get(after.no)
    if (!prior) return [{ action: 'add', after }]
    kept.add(prior.no)
    return isSame(prior, after) ? [] : [{ action: 'change', before: prior, after }]
  })
  const gone = [...old.values()].filter(({ no }) => !kept.has(no))
  return [
    ...changes,
    ...gone.map((attribute) => ({ action: 'remove' as const, before: attribute })),
  ]
}

/** The components that a zone does not offer any more. */
export function lostComponents({
  before,
  after,
}: Extract<AttributeChange, { action: 'change' }>): readonly string[] {
  if (before.type !== 'dynamiczone') return []
  return before.components.filter((uid) => !heldBy(after).includes(uid))
}

/** One value has to hold for all locales or copies of a document. */
export function becomesShared({
  before,
  after,
}: Extract<AttributeChange, { action: 'change' }>): boolean {
  return (after.unversioned && !before.unversioned) || (before.localized && !after.localized)
}

/**
 * The names and their order decide how documents read, and so do kinds and privacy; by the components of
 * a zone whoever read an input for others learns that it must not be written.
 */
export function changesShape(
  set: DesignedType | DesignedComponent,
  changes: readonly AttributeChange[],
): boolean {
  if (!set.before) return false
  const form = (attribute: Attribute) => {
    const { name, type, no, private: hidden } = attribute
    return [name, type, no, hidden, ...heldBy(attribute)].join()
  }
  const forms = (attributes: readonly Attribute[]) => attributes.map(form).join(';')
  return (
    changes.some((change) => change.action !== 'change' || becomesShared(change)) ||
    forms(set.before.definition.attributes) !== forms(set.definition.attributes)
  )
}
