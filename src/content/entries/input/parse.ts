import { isObject } from '#kernel'
import { kindOf } from '../../fields/index.ts'
import {
  type Attribute,
  type Component,
  type ContentModel,
  componentsIn,
  type FieldSet,
  type HoldingAttribute,
  isPartList,
  isScalar,
  type MediaAttribute,
  type ScalarAttribute,
} from '../../model.ts'
import type {
  JsonMembers,
  ParsedBody,
  ParsedPart,
  ParsedScalar,
  Path,
  Problems,
  Ref,
  RelationChange,
} from './parsed.ts'
import { parseElement } from './refs.ts'
import { parseRefs, parseRelation } from './relation.ts'

interface Context {
  readonly model: ContentModel
  readonly problems: Problems
  readonly ignoreUnknown: boolean
}

interface Collected {
  readonly scalars: Map<number, ParsedScalar>
  readonly members: ParsedBody['members']
  readonly relations: Map<number, RelationChange>
  readonly media: Map<number, readonly Ref[]>
  readonly parts: Map<number, readonly ParsedPart[] | null>
}

/** Checks form, type and upper bounds of everything in the input and notes every problem. */
export function parseBody(
  set: FieldSet,
  values: Readonly<Record<string, unknown>>,
  context: Context,
  at: Path = [],
): ParsedBody {
  const body: Collected = {
    scalars: new Map(),
    members: NOTHING.members,
    relations: new Map(),
    media: new Map(),
    parts: new Map(),
  }
  for (const [name, value] of Object.entries(values)) {
    const attribute = set.attribute.get(name)
    if (value === undefined) continue
    if (attribute) parseAttribute(attribute, value, body, context, [...at, name])
    else if (!context.ignoreUnknown) {
      context.problems.add([...at, name.slice(0, 100)], 'unknown_field', 'is not an attribute')
    }
  }
  return body
}

function parseAttribute(
  attribute: Attribute,
  value: unknown,
  body: Collected,
  context: Context,
  path: Path,
) {
  const { no } = attribute
  if (isScalar(attribute)) {
    const parsed = parseScalar(attribute, value, path, context.problems)
    if (parsed) body.scalars.set(no, parsed)
  } else if (attribute.type === 'relation') {
    const change = parseRelation(value, path, context.problems)
    if (change) body.relations.set(no, change)
  } else if (attribute.type === 'media') {
    body.media.set(no, parseMedia(attribute, value, path, context.problems))
  } else {
    body.parts.set(no, value === null ? null : parseParts(attribute, value, context, path))
  }
}

function parseScalar(
  attribute: ScalarAttribute,
  value: unknown,
  path: Path,
  problems: Problems,
): ParsedScalar | undefined {
  // An empty uid is made anew like an absent one (content model §3.1).
  if (value === null || (attribute.type === 'uid' && value === '')) return { value: null }
  const result = kindOf(attribute).parse(value, attribute)
  if (!result.ok) {
    problems.add([...path, ...(result.at ?? [])], result.rule, result.message)
    return undefined
  }
  const { value: parsed, format } = result
  return format === undefined ? { value: parsed } : { value: parsed, format }
}

/** Single members of JSON attributes, by the name of the attribute. */
export function parseMembers(
  set: FieldSet,
  given: Readonly<Record<string, JsonMembers>>,
  problems: Problems,
): ParsedBody['members'] {
  const members = new Map<number, JsonMembers>()
  for (const [name, values] of Object.entries(given)) {
    const attribute = set.attribute.get(name)
    if (attribute?.type !== 'json') problems.add([name], 'json', 'is not a JSON attribute')
    else if (parseScalar(attribute, values, [name], problems)) members.set(attribute.no, values)
  }
  return members
}

function parseMedia(
  { multiple }: MediaAttribute,
  value: unknown,
  path: Path,
  problems: Problems,
): readonly Ref[] {
  if (value === null) return []
  if (Array.isArray(value)) {
    const refs = [...new Set(parseRefs(value, path, problems))]
    return multiple ? refs : refs.slice(-1)
  }
  const ref = parseElement(value)
  if (ref === undefined) problems.add(path, 'media', 'must be the id of a file, or a list of ids')
  return ref === undefined ? [] : [ref]
}

function parseParts(
  attribute: HoldingAttribute,
  value: unknown,
  context: Context,
  path: Path,
): readonly ParsedPart[] {
  const { problems } = context
  if (!isPartList(attribute)) return parsePart(attribute, value, context, path)
  if (!Array.isArray(value)) {
    problems.add(path, 'type', 'must be a list of objects')
    return []
  }
  if (attribute.max !== undefined && value.length > attribute.max) {
    problems.add(path, 'max', `must have at most ${attribute.max} elements`)
  }
  return value.flatMap((item, index) => parsePart(attribute, item, context, [...path, index]))
}

/** None when nothing can be made of it, which is noted. */
function parsePart(
  attribute: HoldingAttribute,
  value: unknown,
  context: Context,
  path: Path,
): ParsedPart[] {
  if (!isObject(value)) {
    context.problems.add(path, 'type', 'must be an object')
    return []
  }
  const component = chooseComponent(attribute, value, context, path)
  if (!component) return []
  const { id, ...rest } = value
  const { __component: _uid, ...values } = rest
  const isZone = attribute.type === 'dynamiczone'
  const body = parseBody(component, isZone ? values : rest, context, path)
  return [{ id: parsePartId(id, path, context), component, body }]
}

/** An element of a zone says by `__component` which it is. */
function chooseComponent(
  attribute: HoldingAttribute,
  { __component: uid }: Readonly<Record<string, unknown>>,
  { model, problems }: Context,
  path: Path,
): Component | undefined {
  const offered = componentsIn(model, attribute)
  if (attribute.type === 'component') return offered[0]
  const component = offered.find((each) => each.uid === uid)
  if (!component) {
    const names = offered.map((each) => each.uid).join(', ')
    const sentence =
      uid === undefined
        ? `is required; it names one of ${names}`
        : `must be one of the components of this zone: ${names}`
    problems.add([...path, '__component'], uid === undefined ? 'required' : 'component', sentence)
  }
  return component
}

function parsePartId(id: unknown, path: Path, { problems }: Context): number | null {
  if (id === undefined || id === null) return null
  const ref = parseElement(id)
  if (typeof ref === 'number') return ref
  problems.add([...path, 'id'], 'component', 'must be the id of a component')
  return null
}

/** An input that changes nothing. */
export const NOTHING: ParsedBody = {
  scalars: new Map(),
  members: new Map(),
  relations: new Map(),
  media: new Map(),
  parts: new Map(),
}
