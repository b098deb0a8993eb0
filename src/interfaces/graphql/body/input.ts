import type { Attribute, Component, ContentModel, ContentType, EntryInput } from '#content'
import { behind } from '#content-dialect'
import { isObject, parseTime } from '#kernel'
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
  const ms = typeof publishedAt === 'string' ? parseTime(publishedAt) : undefined
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
  const to = behind(model, attribute)
  if (!to || value === null) return value
  if (Array.isArray(value)) return value.map((each) => stored(model, attribute, each))
  if (to === 'files' || 'singularName' in to) return referenceTo(String(value), to, attribute.name)
  if (!isObject(value)) return value
  const { id } = value
  const values = valuesOf(model, to, value)
  return id === undefined || id === null ? values : { id: Number(id), ...values }
}
