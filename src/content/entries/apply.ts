import { isObject } from '#kernel'
import type { JsonValue } from '../json.ts'
import {
  type Attribute,
  type ContentModel,
  type FieldSet,
  type HoldingAttribute,
  heldBy,
  holdsComponents,
  isPartList,
  isScalar,
  isToMany,
  type MediaAttribute,
  type RelationAttribute,
  type ScalarAttribute,
} from '../model.ts'
import { type Body, hasSameBody, type Part } from './body.ts'
import type {
  JsonMembers,
  ParsedBody,
  ParsedPart,
  Path,
  Problems,
  Ref,
  RelationChange,
} from './input/parsed.ts'
import { applyChange, type LinkChange, type LinkPlace } from './order.ts'
import { isAllowedFile, type References } from './references.ts'

export interface ApplyContext {
  readonly model: ContentModel
  readonly references: References
  /** `replace`: what the input does not name is reset to its default or nothing. */
  readonly mode: 'merge' | 'replace'
  /** On creation ids of components are those of another entry, and new ones are made. */
  readonly isUpdate: boolean
  /** Sent again without its id, a component that says the same is still the same. */
  readonly keepsParts: boolean
  /** Faults that the input alone shows. */
  readonly problems: Problems
  /** Faults that only the store shows. */
  readonly unknown: Problems
}

interface Growing {
  readonly values: Map<number, JsonValue>
  readonly formats: Record<string, string>
  readonly links: Map<number, readonly string[]>
  readonly parts: Map<number, readonly Part[]>
}

/** The body after the input; `old` is undefined when there was none. */
export function applyInput(
  set: FieldSet,
  old: Body | undefined,
  parsed: ParsedBody,
  context: ApplyContext,
  at: Path = [],
): Body {
  const body: Growing = { values: new Map(), formats: {}, links: new Map(), parts: new Map() }
  for (const attribute of set.attributes) {
    applyAttribute(attribute, old, parsed, body, context, [...at, attribute.name])
  }
  return body
}

function applyAttribute(
  attribute: Attribute,
  old: Body | undefined,
  parsed: ParsedBody,
  body: Growing,
  context: ApplyContext,
  path: Path,
) {
  if (isScalar(attribute)) applyScalar(attribute, old, parsed, body, context)
  else if (holdsComponents(attribute)) {
    applyParts(attribute, old, parsed, body, context, path)
  } else if (attribute.type === 'media' || attribute.side === 'owning') {
    applyLinks(attribute, old, parsed, body, context, path)
  }
}

/** An unversioned value stays also when a full update does not name it (content model §3.1). */
function applyScalar(
  attribute: ScalarAttribute,
  old: Body | undefined,
  parsed: ParsedBody,
  { values, formats }: Growing,
  { mode }: ApplyContext,
) {
  const { no } = attribute
  const given = parsed.scalars.get(no)
  const isKept = old && !given && (mode === 'merge' || attribute.unversioned)
  const whole = isKept ? old.values.get(no) : given ? given.value : attribute.default
  const members = parsed.members.get(no)
  const value = members ? withMembers(whole, members) : whole
  if (value === undefined || value === null) return
  values.set(no, value)
  const format = isKept ? old.formats[no] : (given?.format ?? defaultFormat(attribute))
  if (format !== undefined) formats[no] = format
}

function withMembers(whole: JsonValue | undefined, members: JsonMembers): JsonValue {
  const before = isObject(whole) ? Object.entries(whole) : []
  const after = new Map([...before, ...Object.entries(members)])
  for (const [name, value] of Object.entries(members)) if (value === null) after.delete(name)
  return after.size > 0 ? Object.fromEntries(after) : null
}

function defaultFormat(attribute: ScalarAttribute): string | undefined {
  if (attribute.type !== 'richtext') return undefined
  return attribute.format ?? 'basic_html'
}

function applyLinks(
  attribute: MediaAttribute | RelationAttribute,
  old: Body | undefined,
  parsed: ParsedBody,
  { links }: Growing,
  context: ApplyContext,
  path: Path,
) {
  const { no } = attribute
  const current = old?.links.get(no) ?? []
  const targets =
    attribute.type === 'media'
      ? mediaTargets(attribute, parsed.media.get(no), context, path)
      : relationTargets(attribute, current, parsed.relations.get(no), context, path)
  const result = targets ?? (context.mode === 'merge' ? current : [])
  if (result.length > 0) links.set(no, result)
}

function mediaTargets(
  attribute: MediaAttribute,
  refs: readonly Ref[] | undefined,
  { references, problems, unknown }: ApplyContext,
  path: Path,
): readonly string[] | undefined {
  const uuids = refs?.flatMap((ref) => {
    const file = references.file(ref)
    if (!file) unknown.add(path, 'invalid_reference', `names a file that does not exist: ${ref}`)
    else if (!isAllowedFile(attribute, file.mime)) {
      problems.add(path, 'allowedTypes', `may hold only ${attribute.allowedTypes.join(', ')}`)
    }
    return file ? [file.uuid] : []
  })
  return uuids && [...new Set(uuids)]
}

/** The list after the change, undefined when the input does not name the relation. */
export function relationTargets(
  attribute: RelationAttribute,
  current: readonly string[],
  change: RelationChange | undefined,
  context: Pick<ApplyContext, 'model' | 'references' | 'problems' | 'unknown'>,
  path: Path,
): readonly string[] | undefined {
  if (!change) return undefined
  const resolved = resolveChange(attribute, change, context, path)
  if (!resolved) return current
  const result = applyChange(current, resolved, isToMany(attribute))
  if (result.ok) return result.targets
  const place = [...path, 'connect', result.at]
  if (result.reason === 'twice') {
    context.problems.add(place, 'relation', 'names an entry that is connected twice')
  } else {
    context.unknown.add(
      [...place, 'position'],
      'invalid_reference',
      'names an entry that is not linked',
    )
  }
  return current
}

/** Undefined when an id does not exist; to disconnect one that does not exist changes nothing. */
function resolveChange(
  attribute: RelationAttribute,
  change: RelationChange,
  { model, references, unknown }: Pick<ApplyContext, 'model' | 'references' | 'unknown'>,
  path: Path,
): LinkChange | undefined {
  const target = model.findType(attribute.target)
  const find = (ref: Ref) => (target ? references.document(target.no, ref) : undefined)
  const linked = change.kind === 'set' ? change.refs : change.connect.map(({ ref }) => ref)
  const missing = linked.filter((ref) => find(ref) === undefined)
  if (missing.length > 0) {
    const ids = missing.slice(0, 10).join(', ')
    const what = `${missing.length} of type ${target?.uid ?? attribute.target} that do not exist`
    unknown.add(path, 'invalid_reference', `names entries, ${what}: ${ids}`)
    return undefined
  }
  if (change.kind === 'set') {
    return { kind: 'set', targets: change.refs.flatMap((ref) => find(ref) ?? []) }
  }
  return {
    kind: 'change',
    strict: change.strict,
    disconnect: change.disconnect.flatMap((ref) => find(ref) ?? []),
    connect: change.connect.flatMap(({ ref, place }) => {
      const found = find(ref)
      return found === undefined ? [] : [{ target: found, place: resolvePlace(place, find) }]
    }),
  }
}

function resolvePlace(
  place: Extract<RelationChange, { kind: 'change' }>['connect'][number]['place'],
  find: (ref: Ref) => string | undefined,
): LinkPlace | null {
  if (place === null || !('ref' in place)) return place
  return { at: place.at, target: find(place.ref) ?? null }
}

function applyParts(
  attribute: HoldingAttribute,
  old: Body | undefined,
  parsed: ParsedBody,
  { parts }: Growing,
  context: ApplyContext,
  path: Path,
) {
  const { no } = attribute
  // What a zone held of a component that it does not offer any more is on its way out.
  const offered = heldBy(attribute)
  const stored = old?.parts.get(no) ?? []
  const current = stored.filter(({ component }) => offered.includes(component.uid))
  const given = parsed.parts.get(no)
  const isKept = given === undefined && old !== undefined && context.mode === 'merge'
  const firstAt = new Map<number | null, number>()
  for (const [index, { id }] of (given ?? []).entries()) {
    if (!firstAt.has(id)) firstAt.set(id, index)
  }
  const byId = new Map(current.map((part) => [part.id, part]))
  const list = given?.map((part, index) => {
    const own = isPartList(attribute) ? [...path, index] : path
    if (part.id !== null && context.isUpdate && firstAt.get(part.id) !== index) {
      context.problems.add([...own, 'id'], 'component', 'names a component that is there already')
    }
    const inPlace = current[index]
    const unnamed = inPlace && !firstAt.has(inPlace.id) ? inPlace : undefined
    return applyPart(part, byId, unnamed, context, own)
  })
  const result = isKept ? current : list
  if (result) parts.set(no, result)
}

/**
 * With the id of an existing component it changes that one, without it mostly makes a new one. `inPlace`: what stands
 * where it does, unless the input names that elsewhere.
 */
function applyPart(
  { id, component: given, body: parsed }: ParsedPart,
  byId: ReadonlyMap<number, Part>,
  inPlace: Part | undefined,
  context: ApplyContext,
  path: Path,
): Part {
  const component = context.model.findComponent(given.uid) ?? given
  const named = id === null ? undefined : byId.get(id)
  const existing = named?.component.no === component.no ? named : undefined
  if (id !== null && !existing && context.isUpdate) {
    context.unknown.add([...path, 'id'], 'invalid_reference', 'is not a component of this entry')
  }
  const body = applyInput(component, existing?.body, parsed, context, path)
  if (existing) return { id: existing.id, component, body }
  const same = id === null && context.keepsParts ? inPlace : undefined
  const isRepeated =
    same?.component.no === component.no && hasSameBody(withoutIds(same.body), withoutIds(body))
  return same && isRepeated ? same : { id: 0, component, body }
}

function withoutIds(body: Body): Body {
  const parts = new Map(
    [...body.parts].map(([no, list]) => [
      no,
      list.map((part) => ({ ...part, id: 0, body: withoutIds(part.body) })),
    ]),
  )
  return { ...body, parts }
}
