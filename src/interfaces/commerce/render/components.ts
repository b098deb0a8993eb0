import type { Included, JsonObject, JsonValue, Part } from '#content'

/** Components as they are written: with their ids, and what they refer to by ids. None: undefined. */
export function renderComponents(included: Included | undefined): JsonValue | undefined {
  if (included?.kind === 'parts') {
    return included.parts.length > 0 ? included.parts.map(renderPart) : undefined
  }
  return included?.kind === 'part' && included.part ? renderPart(included.part) : undefined
}

function renderPart(part: Part): JsonObject {
  const { component, included } = part
  const values = part.values()
  const shown: Record<string, JsonValue> = { id: part.id }
  for (const attribute of component.attributes) {
    const found = included.get(attribute.name)
    const value = found ? within(found) : values[attribute.name]
    if (value !== undefined) shown[attribute.name] = value
  }
  return shown
}

function within(included: Included): JsonValue {
  if (included.kind === 'ids') return included.ids.map(({ id }) => id)
  return renderComponents(included) ?? (included.kind === 'parts' ? [] : null)
}
