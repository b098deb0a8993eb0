import { DomainError, type Issue } from '#kernel'
import { BUNDLE_NAME, COMPONENT_PART, displayNameOf, TYPE_NAME } from './names.ts'
import { issue, localizedOf, parseAttribute, type SchemaChecker } from './parse-attribute.ts'
import type { NewComponentBody, NewContentTypeBody } from './schemas.ts'
import type { AttributeSpec, ComponentSpec, TypeSpec } from './spec.ts'

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
  return {
    kind: body.kind === 'singleType' ? 'singleType' : 'collectionType',
    singularName,
    pluralName,
    displayName: body.displayName ?? displayNameOf(singularName),
    description: body.description ?? '',
    draftAndPublish: body.draftAndPublish ?? false,
    localized: localizedOf(body) ?? false,
    publicRead: body.publicRead ?? publicReadDefault,
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
