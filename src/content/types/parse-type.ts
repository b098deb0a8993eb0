import { DomainError, type Issue, isObject } from '#kernel'
import type {
  AttributeSpec,
  ComponentDefinition,
  ComponentSpec,
  TypeDefinition,
  TypeSpec,
} from './definition.ts'
import { BUNDLE_NAME, COMPONENT_PART, displayNameOf, TYPE_NAME } from './names.ts'
import { issue, localizedOf, parseAttribute, type SchemaChecker } from './parse-attribute.ts'
import { contradictionIn, mergePermissions, parsePermissions } from './parse-permissions.ts'
import { renderAttributes } from './render.ts'
import type {
  ComponentChangeBody,
  ContentTypeChangeBody,
  NewComponentBody,
  NewContentTypeBody,
} from './schemas.ts'

interface Context {
  readonly checker: SchemaChecker
  /** Where in the request the definition lies; empty for the whole body. */
  readonly at: Issue['path']
  /** Collects what is wrong. */
  readonly issues: Issue[]
}

/** A whole type, or a note of everything that is wrong with it by itself. */
export function parseType(
  body: NewContentTypeBody,
  { publicReadDefault, ...context }: Context & { readonly publicReadDefault: boolean },
): TypeSpec {
  const { at, issues } = context
  const { singularName, pluralName, entityType = 'node', bundle = singularName } = body
  for (const [member, name] of Object.entries({ singularName, pluralName })) {
    if (!TYPE_NAME.test(name)) issues.push(issue([...at, member], 'pattern', TYPE_NAME_FORM))
  }
  for (const [member, name] of Object.entries({ entityType, bundle })) {
    const isDouble = member === 'entityType' && name.includes('--')
    if (!BUNDLE_NAME.test(name) || isDouble) {
      issues.push(issue([...at, member], 'pattern', BUNDLE_FORM))
    }
  }
  const contradiction = contradictionIn(body)
  if (contradiction) issues.push(issue([...at, 'publicRead'], 'conflict', contradiction))
  const permissions = parsePermissions(body, publicReadDefault)
  return {
    kind: body.kind === 'singleType' ? 'singleType' : 'collectionType',
    singularName,
    pluralName,
    displayName: body.displayName ?? displayNameOf(singularName),
    description: body.description ?? '',
    draftAndPublish: body.draftAndPublish ?? false,
    localized: localizedOf(body) ?? false,
    publicRead: permissions.public.includes('read'),
    permissions,
    displayField: body.displayField ?? null,
    entityType,
    bundle,
    attributes: parseAttributes(body.attributes, context),
  }
}

const TYPE_NAME_FORM = 'must be a letter a to z, then at most 49 of a to z, 0 to 9 and -'
const BUNDLE_FORM =
  'must be a letter a to z, then at most 49 of a to z, 0 to 9, _ and -, and no -- in an entityType'

export function parseComponent(body: NewComponentBody, context: Context): ComponentSpec {
  const { category = 'default', name } = body
  for (const [member, part] of Object.entries({ category, name })) {
    if (COMPONENT_PART.test(part)) continue
    context.issues.push(issue([...context.at, member], 'pattern', TYPE_NAME_FORM))
  }
  return {
    category,
    name,
    displayName: body.displayName ?? displayNameOf(name),
    description: body.description ?? '',
    attributes: parseAttributes(body.attributes, context),
  }
}

function parseAttributes(
  attributes: Readonly<Record<string, unknown>> = {},
  { checker, at, issues }: Context,
): AttributeSpec[] {
  return Object.entries(attributes).flatMap(([name, raw]) => {
    const parsed = parseAttribute(checker, name, raw, [...at, 'attributes', name])
    issues.push(...parsed.issues)
    return parsed.spec ? [parsed.spec] : []
  })
}

/** Members that only the server sets may come back as they were read. */
export function refuseReadOnly(
  body: Pick<NewContentTypeBody, 'uid' | 'uuid'>,
  stored: { readonly uid: string; readonly uuid?: string | undefined } | null,
): void {
  const wrong = (['uid', 'uuid'] as const).filter(
    (member) => body[member] !== undefined && body[member] !== stored?.[member],
  )
  const [first] = wrong
  if (first === undefined) return
  const message = `${first} is set by the server`
  const issues = wrong.map((member) => issue([member], 'read_only_field', 'is set by the server'))
  throw new DomainError('invalid', 'read_only_field', message, { issues })
}

type Attributes = Readonly<Record<string, unknown>>

/** The whole definition after a PATCH (content model §11): null removes, a name adds or replaces. */
export function mergeType(
  definition: TypeDefinition,
  body: ContentTypeChangeBody,
): NewContentTypeBody {
  const { attributes, permissions, ...members } = definition
  const changed = body.attributes ?? {}
  const merged = mergeAttributes(renderAttributes(attributes), changed)
  followOwnEnds(merged, changed, members.singularName)
  const { displayField } = members
  const kept = followName(displayField, changed, merged)
  const whole = { ...members, displayField: kept, ...body, ...mergePermissions(permissions, body) }
  return { ...whole, attributes: Object.fromEntries(merged) }
}

export function mergeComponent(
  { attributes, ...members }: ComponentDefinition,
  body: ComponentChangeBody,
): NewComponentBody {
  const merged = mergeAttributes(renderAttributes(attributes), body.attributes ?? {})
  return { ...members, ...body, attributes: Object.fromEntries(merged) }
}

/** What is replaced or renamed keeps its place; what is new comes last. */
function mergeAttributes(current: Attributes, changed: Attributes): Map<string, unknown> {
  const renames = new Map(
    Object.entries(changed).flatMap(([name, raw]) => {
      const from = isObject(raw) ? raw['renamedFrom'] : undefined
      return typeof from === 'string' && from !== name ? [[from, name] as const] : []
    }),
  )
  const given = new Map(Object.entries(changed))
  const merged = new Map<string, unknown>()
  for (const [name, raw] of Object.entries(current)) {
    const now = renames.get(name) ?? name
    if (given.get(now) !== null) merged.set(now, given.get(now) ?? raw)
  }
  for (const [name, raw] of given) {
    if (raw !== null && (merged.get(name) ?? null) === null) merged.set(name, raw)
  }
  for (const [name, raw] of merged) {
    if (!isObject(raw) || given.get(name) !== undefined) continue
    const target = raw['targetField']
    if (typeof target !== 'string') continue
    const { targetField: _, ...rest } = raw
    const kept = followName(target, changed, merged)
    merged.set(name, kept === null ? rest : { ...rest, targetField: kept })
  }
  return merged
}

/** Of a relation of the type with itself the end that nobody changed follows the other, as it does in another type. */
function followOwnEnds(merged: Map<string, unknown>, changed: Attributes, own: string) {
  for (const [name, raw] of merged) {
    if (!isObject(raw) || raw['target'] !== own || Object.hasOwn(changed, name)) continue
    const { inversedBy, mappedBy, ...rest } = raw
    const other = mappedBy ?? inversedBy
    if (typeof other !== 'string') continue
    const kept = followName(other, changed, merged)
    const end = mappedBy === undefined ? 'inversedBy' : 'mappedBy'
    if (kept !== null) merged.set(name, { ...rest, [end]: kept })
    else if (end === 'inversedBy') merged.set(name, rest)
    else merged.delete(name)
  }
}

/** A name that nobody changed follows its attribute, and goes with it. */
function followName(
  name: string | null,
  changed: Attributes,
  merged: ReadonlyMap<string, unknown>,
): string | null {
  if (name === null) return null
  const renamed = Object.entries(changed).find(
    ([, raw]) => isObject(raw) && raw['renamedFrom'] === name,
  )
  const now = renamed?.[0] ?? name
  return merged.has(now) ? now : null
}
