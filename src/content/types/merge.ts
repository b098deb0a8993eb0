import { isObject } from '#kernel'
import type { ComponentDefinition, TypeDefinition } from './definition.ts'
import { renderAttributes } from './render.ts'
import type {
  ComponentChangeBody,
  ContentTypeChangeBody,
  NewComponentBody,
  NewContentTypeBody,
} from './schemas.ts'

type Attributes = Readonly<Record<string, unknown>>

/** The whole definition after a PATCH (content model §11): null removes, a name adds or replaces. */
export function mergeType(
  definition: TypeDefinition,
  body: ContentTypeChangeBody,
): NewContentTypeBody {
  const { attributes, ...members } = definition
  const changed = body.attributes ?? {}
  const merged = mergeAttributes(renderAttributes(attributes), changed)
  const { displayField } = members
  const kept = followName(displayField, changed, merged)
  return { ...members, displayField: kept, ...body, attributes: Object.fromEntries(merged) }
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
