import { conflict, type Issue, invalid } from '#kernel'
import { heldBy } from '../model.ts'
import { DISPLAYABLE } from './build.ts'
import { componentUid, type StoredType } from './definition.ts'
import type { ComponentDraft, DraftAttribute, TypeDraft } from './draft.ts'
import { findGraphqlClashes } from './graphql-clashes.ts'
import {
  ATTRIBUTE_NAME,
  graphqlName,
  graphqlNames,
  isReservedAttribute,
  isReservedEntityType,
  isReservedTypeName,
} from './names.ts'
import { issue } from './parse-attribute.ts'

interface Checked {
  readonly types: readonly TypeDraft[]
  readonly components: readonly ComponentDraft[]
  /** What was found wrong before. */
  readonly issues: readonly Issue[]
}

const MOST_ATTRIBUTES = 200
const DEEPEST_COMPONENTS = 3

/**
 * What can only be seen when all definitions are looked at together. Faults of the input are told
 * first, all of them (400); then names that are taken (409).
 */
export function checkDesign({ types, components, issues }: Checked): void {
  const found = [
    ...issues,
    ...types.filter(({ edited }) => edited).flatMap(typeIssues),
    ...types.flatMap((type) => addedEndIssues(type)),
    ...components.filter(({ edited }) => edited).flatMap(componentIssues),
    ...componentUses([...types, ...components], components),
  ]
  if (found.length > 0) throw invalid(found)
  const clashes = [...typeClashes(types), ...componentClashes(components)]
  // Names that are the same anyway are so in GraphQL, too.
  const told = clashes.length > 0 ? clashes : findGraphqlClashes(types, components)
  if (told.length > 0) throw conflict('conflict', told.join('; '))
}

function typeIssues({ spec, attributes, at }: TypeDraft): Issue[] {
  const { displayField, draftAndPublish, singularName, pluralName } = spec
  const issues = setIssues(attributes, at, draftAndPublish)
  if (singularName === pluralName || graphqlNames(singularName).includes(graphqlName(pluralName))) {
    issues.push(issue([...at, 'pluralName'], 'duplicate', 'must differ from singularName'))
  }
  const shown = attributes.find(({ name }) => name === displayField)
  if (displayField !== null && !(shown && DISPLAYABLE.has(shown.options.type))) {
    const sentence = `must name a text attribute of the type, not ${displayField}`
    issues.push(issue([...at, 'displayField'], 'unknown_attribute', sentence))
  } else if (shown?.options.private) {
    issues.push(issue([...at, 'displayField'], 'private_field', 'must not be private'))
  }
  return issues
}

function componentIssues({ attributes, at }: ComponentDraft): Issue[] {
  const issues = setIssues(attributes, at, false)
  for (const { options, at: path } of attributes) {
    if (options.type === 'dynamiczone') {
      issues.push(
        issue([...path, 'type'], 'component', 'must not be dynamiczone inside a component'),
      )
    }
    for (const flag of ['unique', 'unversioned'] as const) {
      if (options[flag]) issues.push(issue([...path, flag], 'component', NOT_INSIDE))
    }
    if (options.type !== 'relation') continue
    for (const end of ['inversedBy', 'mappedBy', 'targetAttribute'] as const) {
      if (options[end] !== undefined) issues.push(issue([...path, end], 'component', NOT_INSIDE))
    }
  }
  return issues
}

const NOT_INSIDE = 'is not offered inside a component'

/** Rules between the attributes of one type or component. */
function setIssues(
  attributes: readonly DraftAttribute[],
  at: Issue['path'],
  draftAndPublish: boolean,
): Issue[] {
  const issues: Issue[] = []
  if (attributes.length > MOST_ATTRIBUTES) {
    issues.push(issue([...at, 'attributes'], 'length', `has more than ${MOST_ATTRIBUTES} members`))
  }
  const byFold = new Map<string, string>()
  for (const { name, at: path, options } of attributes) {
    if (isReservedAttribute(name, draftAndPublish)) {
      issues.push(issue(path, 'reserved', 'has a name that is reserved'))
    }
    const same = byFold.get(name.toLowerCase())
    if (same !== undefined)
      issues.push(issue(path, 'duplicate', `differs from ${same} only in case`))
    byFold.set(name.toLowerCase(), name)
    if (options.type === 'uid' && options.targetField !== undefined) {
      issues.push(...targetIssues(options.targetField, name, attributes, path))
    }
  }
  return [...issues, ...idNameIssues(attributes)]
}

function targetIssues(
  targetField: string,
  name: string,
  attributes: readonly DraftAttribute[],
  path: Issue['path'],
): Issue[] {
  const target = attributes.find((attribute) => attribute.name === targetField)
  if (target && target.name !== name && DISPLAYABLE.has(target.options.type)) return []
  const sentence = `must name a text attribute beside it, not ${targetField}`
  return [issue([...path, 'targetField'], 'unknown_attribute', sentence)]
}

/** `author_id` is how interfaces show the relation `author`, and `cover_id` the file `cover`. */
function idNameIssues(attributes: readonly DraftAttribute[]): Issue[] {
  const linked = attributes.filter(({ options }) => ['relation', 'media'].includes(options.type))
  const taken = new Map(linked.flatMap(({ name }) => idNames(name).map((id) => [id, name])))
  return attributes.flatMap((attribute) => {
    const { name, at } = attribute
    const relation = taken.get(name)
    if (relation) return [issue(at, 'reserved', `is how the id of ${relation} is shown`)]
    const own = linked.includes(attribute) ? idNames(name) : []
    const reserved = own.find((id) => isReservedAttribute(id, false))
    return reserved ? [issue(at, 'reserved', `would show its id as ${reserved}`)] : []
  })
}

function idNames(name: string): string[] {
  return [`${name}_id`, `${name}Id`]
}

/** Ends that were added to types nobody edited have to keep the rules of names there. */
function addedEndIssues({ spec, attributes, edited }: TypeDraft): Issue[] {
  if (edited) return []
  const added = attributes.filter(({ before }) => !before)
  if (added.length === 0) return []
  const ids = idNameIssues(attributes)
  return added.flatMap(({ name, at }) => {
    const isWrong =
      ids.length > 0 ||
      !ATTRIBUTE_NAME.test(name) ||
      isReservedAttribute(name, spec.draftAndPublish) ||
      attributes.some(
        (each) => each.name !== name && each.name.toLowerCase() === name.toLowerCase(),
      )
    const sentence = `would add ${spec.singularName}.${name}, which is no free name there`
    return isWrong ? [issue(at, 'pattern', sentence)] : []
  })
}

/** Every component an attribute names is there, and none contains itself. */
function componentUses(
  drafts: readonly (TypeDraft | ComponentDraft)[],
  components: readonly ComponentDraft[],
): Issue[] {
  const byUid = new Map(components.map((component) => [componentUid(component.spec), component]))
  return drafts.flatMap((draft) =>
    draft.attributes.flatMap(({ options, at }) =>
      heldBy(options).flatMap((uid, index) => {
        const isZone = options.type === 'dynamiczone'
        const path = isZone ? [...at, 'components', index] : [...at, 'component']
        const used = byUid.get(uid)
        if (!used) return [issue(path, 'unknown_component', `names no component: ${uid}`)]
        const depth = depthOf(used, byUid, 'category' in draft.spec ? 2 : 1)
        if (depth <= DEEPEST_COMPONENTS) return []
        const sentence = `nests components deeper than ${DEEPEST_COMPONENTS} levels`
        return [issue(path, 'too_deep', sentence)]
      }),
    ),
  )
}

function depthOf(
  component: ComponentDraft,
  byUid: ReadonlyMap<string, ComponentDraft>,
  depth: number,
): number {
  // A component that contains itself has no end.
  if (depth > DEEPEST_COMPONENTS) return depth
  const inner = component.attributes.flatMap(({ options }) => {
    const used = options.type === 'component' ? byUid.get(options.component) : undefined
    return used ? [depthOf(used, byUid, depth + 1)] : []
  })
  return Math.max(depth, ...inner)
}

function typeClashes(types: readonly TypeDraft[]): string[] {
  return types.filter(({ edited }) => edited).flatMap((type) => clashesOf(type, types))
}

function hasName(type: StoredType | null, name: string): boolean {
  if (!type) return false
  const { singularName, pluralName } = type.definition
  return singularName === name || pluralName === name
}

function clashesOf(type: TypeDraft, types: readonly TypeDraft[]): string[] {
  const { singularName, pluralName, entityType, bundle } = type.spec
  const others = types.filter((other) => other !== type)
  const clashes: string[] = []
  for (const name of [singularName, pluralName]) {
    // A type that is older than the reservation keeps its name.
    if (isReservedTypeName(name) && !hasName(type.before, name))
      clashes.push(`The name ${name} is reserved`)
    const holder = others.find(({ spec }) => [spec.singularName, spec.pluralName].includes(name))
    if (holder) {
      clashes.push(`The name ${name} is taken by the content type ${holder.spec.singularName}`)
    }
  }
  if (isReservedEntityType(entityType)) clashes.push(`The entityType ${entityType} is reserved`)
  const twin = others.find(({ spec }) => spec.entityType === entityType && spec.bundle === bundle)
  if (twin) {
    clashes.push(`${entityType}--${bundle} is taken by the content type ${twin.spec.singularName}`)
  }
  return clashes
}

function componentClashes(components: readonly ComponentDraft[]): string[] {
  const uids = components.map(({ spec }) => componentUid(spec))
  const doubled = uids.filter((uid, index) => uids.indexOf(uid) !== index)
  return [...new Set(doubled)].map((uid) => `There is a component ${uid} already`)
}
