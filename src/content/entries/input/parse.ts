import { isObject } from '#kernel'
import { kindOf } from '../../fields/index.ts'
import {
  type Attribute,
  type ComponentAttribute,
  type ContentModel,
  type FieldSet,
  isScalar,
  type MediaAttribute,
  type ScalarAttribute,
} from '../../model.ts'
import type {
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
  readonly relations: Map<number, RelationChange>
  readonly media: Map<number, readonly Ref[]>
  readonly parts: Map<number, readonly ParsedPart[]>
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
    body.parts.set(no, parseParts(attribute, value, context, path))
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
    problems.add(path, result.rule, result.message)
    return undefined
  }
  const { value: parsed, format } = result
  return format === undefined ? { value: parsed } : { value: parsed, format }
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
  attribute: ComponentAttribute,
  value: unknown,
  context: Context,
  path: Path,
): readonly ParsedPart[] {
  const { problems } = context
  if (value === null) return []
  if (!attribute.repeatable) return [parsePart(attribute, value, context, path)]
  if (!Array.isArray(value)) {
    problems.add(path, 'type', 'must be a list of objects')
    return []
  }
  if (attribute.max !== undefined && value.length > attribute.max) {
    problems.add(path, 'max', `must have at most ${attribute.max} elements`)
  }
  return value.map((item, index) => parsePart(attribute, item, context, [...path, index]))
}

function parsePart(
  attribute: ComponentAttribute,
  value: unknown,
  context: Context,
  path: Path,
): ParsedPart {
  const component = context.model.findComponent(attribute.component)
  if (!isObject(value) || !component) {
    context.problems.add(path, 'type', 'must be an object')
    return { id: null, body: NOTHING }
  }
  const { id, ...values } = value
  return { id: parsePartId(id, path, context), body: parseBody(component, values, context, path) }
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
  relations: new Map(),
  media: new Map(),
  parts: new Map(),
}
