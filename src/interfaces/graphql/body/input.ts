import type { EntryInput } from '#content'
import { behind, COMPONENT_MEMBER, mapParts } from '#content-dialect'
import type { Attribute, Component, ContentModel, ContentType } from '#content-model'
import { isObject, parseMoment } from '#kernel'
import { referenceTo } from '../target.ts'

/** What a change says of an entry. */
export interface Input {
  readonly values: EntryInput['values']
  /** Null: not published; undefined: not given. */
  readonly publishedAtMs: number | null | undefined
}

/** Checked by the schema already; ids of Relay become those of the store. */
export function toInput(model: ContentModel, type: ContentType, data: unknown): Input {
  const given = isObject(data) ? data : {}
  const { publishedAt } = given
  const ms = typeof publishedAt === 'string' ? parseMoment(publishedAt) : undefined
  return {
    values: valuesOf(model, type, given),
    publishedAtMs: type.draftAndPublish && publishedAt === null ? null : ms,
  }
}

function valuesOf(
  model: ContentModel,
  thing: ContentType | Component,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const attribute = thing.attribute.get(name)
      return attribute ? [[name, stored(model, attribute, value)] as const] : []
    }),
  )
}

function stored(model: ContentModel, attribute: Attribute, value: unknown): unknown {
  if (attribute.type === 'dynamiczone') {
    return mapParts(model, attribute, value, (component, part) => {
      const { id, [COMPONENT_MEMBER]: uid } = part
      return { ...withId(id, valuesOf(model, component, part)), [COMPONENT_MEMBER]: uid }
    })
  }
  const to = behind(model, attribute)
  if (!to || value === null) return value
  if (Array.isArray(value)) return value.map((each) => stored(model, attribute, each))
  if (to === 'files' || 'singularName' in to) return referenceTo(String(value), to, attribute.name)
  if (!isObject(value)) return value
  return withId(value['id'], valuesOf(model, to, value))
}

function withId(id: unknown, values: Record<string, unknown>): Record<string, unknown> {
  return id === undefined || id === null ? values : { id: Number(id), ...values }
}
