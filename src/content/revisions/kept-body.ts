import { isObject } from '#kernel'
import type { Body, Part } from '../entries/body.ts'
import { kindOf, wireKindOf } from '../fields/index.ts'
import type { JsonValue } from '../json.ts'
import { type Attribute, type ContentModel, type FieldSet, heldBy, isScalar } from '../model.ts'

/** What of a revision has no place in the type as it is now. */
export interface Misfit {
  readonly path: readonly (string | number)[]
  readonly message: string
}

type Written = { [name: string]: unknown }

/** Neither what lies outside revisions nor passwords, nor links that other entries hold. */
export function isKept(attribute: Attribute): boolean {
  if (attribute.unversioned) return false
  if (isScalar(attribute)) return wireKindOf(attribute) !== 'secret'
  return attribute.type !== 'relation' || attribute.side === 'owning'
}

/**
 * The text of a body. A member is called `<number> <name>`: the number finds the attribute when it is renamed, the
 * name when its values have moved to another number, and says what was there when it is gone. What had no value is
 * null, so that it differs from what did not exist.
 */
export function renderKept(set: FieldSet, body: Body): string {
  return JSON.stringify(toWritten(set, body))
}

function toWritten(set: FieldSet, body: Body): Written {
  const written: Written = {}
  for (const attribute of set.attributes) {
    if (isKept(attribute)) written[`${attribute.no} ${attribute.name}`] = toValue(attribute, body)
  }
  return written
}

function toValue({ no }: Attribute, { values, formats, links, parts }: Body): unknown {
  const value = values.get(no)
  if (value !== undefined) return formats[no] === undefined ? value : { value, format: formats[no] }
  const list = parts.get(no)
  if (!list) return links.get(no) ?? null
  return list.map(({ id, component, body }) => ({
    ...{ id, component: `${component.no} ${component.uid}` },
    values: toWritten(component, body),
  }))
}

interface Fitting {
  readonly model: Pick<ContentModel, 'components'>
  readonly misfits: Misfit[]
  readonly path: Misfit['path']
}

/** What of the body it can be in the type as it is now; everything else is noted. */
export function readKept(
  set: FieldSet,
  text: string,
  model: Fitting['model'],
): { readonly body: Body; readonly named: ReadonlySet<number>; readonly misfits: Misfit[] } {
  const misfits: Misfit[] = []
  const written: Written = JSON.parse(text)
  const { body, named } = fitBody(set, written, { model, misfits, path: [] })
  return { body, named, misfits }
}

function fitBody(set: FieldSet, written: Written, fitting: Fitting) {
  const formats: Record<string, string> = {}
  const body = {
    formats,
    values: new Map<number, JsonValue>(),
    links: new Map<number, readonly string[]>(),
    parts: new Map<number, readonly Part[]>(),
  }
  const named = new Set<number>()
  for (const [member, value] of Object.entries(written)) {
    const { no, name: former } = parseName(member)
    const attribute = set.attributes.find((each) => each.no === no) ?? successorOf(set, former)
    const name = attribute?.name ?? former
    const own = { ...fitting, path: [...fitting.path, name] }
    if (!attribute || !isKept(attribute)) {
      if (value !== null) note(own, 'is not an attribute any more')
    } else if (value === null || fitValue(attribute, value, body, own)) named.add(attribute.no)
  }
  return { body, named }

  /** A change of its kind or choices gives an attribute a new number; one that is written itself is another. */
  function successorOf({ attribute }: FieldSet, name: string): Attribute | undefined {
    const found = attribute.get(name)
    return found && !isWritten(found) ? found : undefined
  }

  function isWritten({ no }: Attribute): boolean {
    return Object.keys(written).some((member) => parseName(member).no === no)
  }
}

type Growing = ReturnType<typeof fitBody>['body']

/** False when it does not fit at all: then the attribute stays as it is. */
function fitValue(attribute: Attribute, value: unknown, body: Growing, to: Fitting): boolean {
  const { no } = attribute
  if (isScalar(attribute)) {
    const parsed = kindOf(attribute).parse(value, attribute)
    if (!parsed.ok) return note(to, `${parsed.message}, as its attribute is now`)
    body.values.set(no, parsed.value)
    if (parsed.format !== undefined) body.formats[no] = parsed.format
    return true
  }
  if (!Array.isArray(value)) return note(to, 'was of another kind')
  if (attribute.type === 'relation' || attribute.type === 'media') {
    if (!value.every((each) => typeof each === 'string')) return note(to, 'was of another kind')
    body.links.set(no, value)
    return true
  }
  const offered = heldBy(attribute)
  const list = value.flatMap((each, at) =>
    fitPart(each, offered, { ...to, path: [...to.path, at] }),
  )
  body.parts.set(no, list)
  return true
}

function fitPart(written: unknown, offered: readonly string[], to: Fitting): Part[] {
  const { id, component: uid, values }: Written = isObject(written) ? written : {}
  const { no, name } = parseName(String(uid))
  const component = to.model.components.find((each) => each.no === no)
  const isOffered = component !== undefined && offered.includes(component.uid)
  if (!component || !isOffered || typeof id !== 'number' || !isObject(values)) {
    note(to, `was a component ${name}, which cannot be here any more`)
    return []
  }
  return [{ id, component, body: fitBody(component, values, to).body }]
}

function parseName(text: string): { readonly no: number; readonly name: string } {
  const space = text.indexOf(' ')
  return { no: Number(text.slice(0, space)), name: text.slice(space + 1) }
}

function note({ misfits, path }: Fitting, problem: string): false {
  misfits.push({ path, message: `${path.join('.')} ${problem}` })
  return false
}
