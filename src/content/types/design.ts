import type { Issue } from '#kernel'
import { type Attribute, heldBy } from '../model.ts'
import { uidOf } from './build.ts'
import { checkDesign } from './check-design.ts'
import {
  type ComponentDefinition,
  type ComponentSpec,
  componentUid,
  isSame,
  type StoredComponent,
  type StoredModel,
  type StoredType,
  type TypeDefinition,
  type TypeSpec,
} from './definition.ts'
import {
  type ComponentDraft,
  createNumbering,
  type DraftAttribute,
  draftAttributes,
  keepAttribute,
  type Numbering,
  type TypeDraft,
} from './draft.ts'
import { pairRelations } from './pairing.ts'

/** What a call wants to be different. */
export interface Edit {
  readonly types?: readonly Put<TypeSpec, StoredType>[]
  readonly components?: readonly Put<ComponentSpec, StoredComponent>[]
  readonly removedTypes?: readonly StoredType[]
  readonly removedComponents?: readonly StoredComponent[]
}

interface Put<Spec, Before> {
  readonly spec: Spec
  readonly before: Before | null
  /** Where the caller wrote it; empty for the whole body. */
  readonly at: Issue['path']
}

export interface Designed<Definition, Before> {
  /** That of `before` itself when nothing changes. Attributes with numbers below zero are new; see `numberDesign`. */
  readonly definition: Definition
  readonly before: Before | null
  /** By number: what an attribute in new columns was before. */
  readonly converted: ReadonlyMap<number, Attribute>
}

export type DesignedType = Designed<TypeDefinition, StoredType>
export type DesignedComponent = Designed<ComponentDefinition, StoredComponent>

/** The store's definitions as they would be after an edit. */
export interface Design {
  readonly types: readonly DesignedType[]
  readonly components: readonly DesignedComponent[]
  readonly removedTypes: readonly StoredType[]
  readonly removedComponents: readonly StoredComponent[]
}

/** Everything after the edit, or a refusal that lists all faults. Looks at no entries. */
export function designModel(stored: StoredModel, edit: Edit): Design {
  const next = createNumbering()
  const issues: Issue[] = []
  const { removedTypes = [], removedComponents = [] } = edit
  const components = draftComponents(stored, edit, next, issues)
  const types = draftTypes(stored, edit, next, issues)
  dropLostComponents([...types, ...components], removedComponents)
  const byName = new Map(
    types.flatMap((type) => namesOf(type).map((name) => [name, type] as const)),
  )
  const findType = (name: string) => byName.get(name)
  issues.push(...pairRelations({ types, findType, next }))
  issues.push(...settleInComponents(components, findType))
  checkDesign({ types, components, issues })
  return {
    types: types.map(finishType),
    components: components.map(finishComponent),
    removedTypes,
    removedComponents,
  }

  function finishType(draft: TypeDraft): DesignedType {
    const attributes = draft.attributes.map((attribute) => finish(attribute, findType))
    const definition = settle(draft.before?.definition, { ...draft.spec, attributes })
    return { definition, before: draft.before, converted: convertedOf(draft) }
  }

  function finishComponent(draft: ComponentDraft): DesignedComponent {
    const attributes = draft.attributes.map((attribute) => finish(attribute, findType))
    const definition = settle(draft.before?.definition, { ...draft.spec, attributes })
    return { definition, before: draft.before, converted: convertedOf(draft) }
  }
}

function draftTypes(
  stored: StoredModel,
  edit: Edit,
  next: Numbering,
  issues: Issue[],
): TypeDraft[] {
  const puts = edit.types ?? []
  const gone = new Set(edit.removedTypes ?? [])
  const put = (type: StoredType) => puts.find(({ before }) => before === type)
  const kept = stored.types.filter((type) => !gone.has(type))
  const drafts = kept.map((type) => {
    const found = put(type)
    return found ? draftType(found) : keepType(type)
  })
  return [...drafts, ...puts.filter(({ before }) => !before).map(draftType)]

  function draftType({ spec, before, at }: Put<TypeSpec, StoredType>): TypeDraft {
    const { attributes: specs, ...rest } = spec
    const drafted = draftAttributes(specs, before?.definition.attributes ?? [], next)
    issues.push(...drafted.issues)
    return { before, spec: rest, attributes: drafted.attributes, edited: true, at }
  }
}

function keepType(type: StoredType): TypeDraft {
  const { attributes, ...spec } = type.definition
  const at = [type.definition.singularName]
  const kept = attributes.map((attribute) => keepAttribute(attribute, [...at, attribute.name]))
  return { before: type, spec, attributes: kept, edited: false, at }
}

function draftComponents(
  stored: StoredModel,
  edit: Edit,
  next: Numbering,
  issues: Issue[],
): ComponentDraft[] {
  const puts = edit.components ?? []
  const gone = new Set(edit.removedComponents ?? [])
  const kept = stored.components.filter((component) => !gone.has(component))
  const drafts = kept.map((component) => {
    const found = puts.find(({ before }) => before === component)
    return found ? draftComponent(found) : keepComponent(component)
  })
  return [...drafts, ...puts.filter(({ before }) => !before).map(draftComponent)]

  function draftComponent({ spec, before, at }: Put<ComponentSpec, StoredComponent>) {
    const { attributes: specs, ...rest } = spec
    const drafted = draftAttributes(specs, before?.definition.attributes ?? [], next)
    issues.push(...drafted.issues)
    return { before, spec: rest, attributes: drafted.attributes, edited: true, at }
  }
}

function keepComponent(component: StoredComponent): ComponentDraft {
  const { attributes, ...spec } = component.definition
  const at = [componentUid(spec)]
  const kept = attributes.map((attribute) => keepAttribute(attribute, [...at, attribute.name]))
  return { before: component, spec, attributes: kept, edited: false, at }
}

/** Attributes nobody edited that hold a component which is removed go with it; zones keep the others. */
function dropLostComponents(
  drafts: readonly (TypeDraft | ComponentDraft)[],
  removed: readonly StoredComponent[],
) {
  const uids = new Set(removed.map(({ definition }) => componentUid(definition)))
  for (const draft of drafts.filter(({ edited }) => !edited)) {
    draft.attributes = draft.attributes.flatMap((attribute) => {
      const { options } = attribute
      const left = heldBy(options).filter((uid) => !uids.has(uid))
      if (left.length === heldBy(options).length) return [attribute]
      if (options.type !== 'dynamiczone' || left.length === 0) return []
      return [{ ...attribute, options: { ...options, components: left } }]
    })
  }
}

/** Relations inside components lead one way: a document does not know the components it lies in. */
function settleInComponents(
  components: readonly ComponentDraft[],
  findType: (name: string) => TypeDraft | undefined,
): Issue[] {
  const issues: Issue[] = []
  for (const draft of components) {
    draft.attributes = draft.attributes.filter((attribute) => {
      const { options } = attribute
      if (options.type !== 'relation') return true
      const target = findType(options.target)
      // One that nobody edited has lost its target with a removed type.
      if (!target && !draft.edited) return false
      const path = [...attribute.at, 'target']
      if (!target) {
        const message = `${path.join('.')} names no content type: ${options.target}`
        issues.push({ path, rule: 'unknown_target', message })
        return true
      }
      const { singularName } = target.spec
      attribute.end = { kind: options.relation, target: singularName, other: null, side: 'owning' }
      return true
    })
  }
  return issues
}

/** Also the names it had before, so that a renamed type is found by those who point to it. */
function namesOf({ spec, before }: TypeDraft): string[] {
  const names = before ? [before.definition.singularName, before.definition.pluralName] : []
  const own = [spec.singularName, spec.pluralName]
  return [...names, ...own].flatMap((name) => [name, uidOf(name)])
}

/** What stays as it is stays the same object: of five hundred types hardly any change, and each is compared often. */
function settle<D extends object>(before: D | undefined, after: D): D {
  return before && isSame(before, after) ? before : after
}

function convertedOf({ attributes }: TypeDraft | ComponentDraft): ReadonlyMap<number, Attribute> {
  return new Map(
    attributes.flatMap(({ no, before }) => (before && before.no !== no ? [[no, before]] : [])),
  )
}

function finish(
  { no, name, options, end }: DraftAttribute,
  findType: (name: string) => TypeDraft | undefined,
): Attribute {
  if (options.type !== 'relation') return { ...options, no, name }
  const { inversedBy, mappedBy, targetAttribute, ...rest } = options
  if (!end) throw new Error(`the relation ${name} was not settled`)
  const partner = end.other === null ? undefined : partnerOf(end.target, end.other)
  const side = end.side ?? 'owning'
  const linkNo = side === 'owning' ? no : (partner?.no ?? no)
  const settled = { relation: end.kind, target: end.target, side, linkNo, inverse: end.other }
  return { ...rest, ...settled, no, name }

  function partnerOf(target: string, other: string) {
    return findType(target)?.attributes.find((attribute) => attribute.name === other)
  }
}
