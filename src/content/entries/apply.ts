import type { JsonValue } from '../json.ts'
import {
  type Attribute,
  type ComponentAttribute,
  type ContentModel,
  type FieldSet,
  isScalar,
  isToMany,
  type MediaAttribute,
  type RelationAttribute,
  type ScalarAttribute,
} from '../model.ts'
import { type Body, hasSameBody, type Part } from './body.ts'
import type { ParsedBody, ParsedPart, Path, Problems, Ref, RelationChange } from './input/parsed.ts'
import { applyChange, type LinkChange, type LinkPlace } from './order.ts'
import { isAllowedFile, type References } from './references.ts'

export interface ApplyContext {
  readonly model: ContentModel
  readonly references: References
  /** `replace`: what the input does not name is reset to its default or nothing. */
  readonly mode: 'merge' | 'replace'
  /** On creation ids of components are those of another entry, and new ones are made. */
  readonly isUpdate: boolean
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
  else if (attribute.type === 'component') {
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
  const value = isKept ? old.values.get(no) : given ? given.value : attribute.default
  if (value === undefined || value === null) return
  values.set(no, value)
  const format = isKept ? old.formats[no] : (given?.format ?? defaultFormat(attribute))
  if (format !== undefined) formats[no] = format
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
  attribute: ComponentAttribute,
  old: Body | undefined,
  parsed: ParsedBody,
  { parts }: Growing,
  context: ApplyContext,
  path: Path,
) {
  const { no } = attribute
  const current = old?.parts.get(no) ?? []
  const given = parsed.parts.get(no)
  const result = given
    ? given.flatMap((part, index) => {
        const own = attribute.repeatable ? [...path, index] : path
        return applyPart(attribute, part, current, index, context, own)
      })
    : context.mode === 'merge'
      ? current
      : []
  if (result.length > 0) parts.set(no, result)
}

/** With the id of an existing component it changes that one, without it makes a new one. */
function applyPart(
  attribute: ComponentAttribute,
  { id, body: parsed }: ParsedPart,
  current: readonly Part[],
  index: number,
  context: ApplyContext,
  path: Path,
): Part[] {
  const component = context.model.findComponent(attribute.component)
  if (!component) return []
  const existing = id === null ? undefined : current.find((part) => part.id === id)
  if (id !== null && !existing && context.isUpdate) {
    context.unknown.add([...path, 'id'], 'invalid_reference', 'is not a component of this entry')
  }
  const body = applyInput(component, existing?.body, parsed, context, path)
  if (existing) return [{ id: existing.id, component, body }]
  // Sent again without its id, a component that says the same is still the same.
  const same = current[index]
  const isRepeated = id === null && same && hasSameBody(withoutIds(same.body), withoutIds(body))
  return [isRepeated ? same : { id: 0, component, body }]
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
