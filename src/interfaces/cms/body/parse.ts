import type { EntryInput } from '#content'
import { COMPONENT_MEMBER, mapParts } from '#content-dialect'
import type { ContentModel, ContentType, FieldSet } from '#content-model'
import { spelled } from '#content-query'
import { type DomainError, invalid, parseDate, parseMoment } from '#kernel'
import { isRaw, type Raw } from '../query/brackets.ts'

/** What a client sent, with everything dropped that this dialect ignores (contract §6). */
export interface Body {
  readonly values: EntryInput['values']
  /** Undefined when it was not given. */
  readonly locale: string | undefined
  /** Null: not published; undefined: not given. */
  readonly publishedAtMs: number | null | undefined
}

/** `{ "data": { … } }`; members that are no attributes of the type are ignored. */
export function parseBody(body: unknown, type: ContentType, model: ContentModel): Body {
  const data = isRaw(body) ? body['data'] : undefined
  if (!isRaw(data)) throw missingData()
  return parseData(data, type, model)
}

/** The body of a new language variant is flat or in `data`. */
export function parseFlatBody(body: unknown, type: ContentType, model: ContentModel): Body {
  if (!isRaw(body)) throw missingData()
  const { data } = body
  return parseData(isRaw(data) ? data : body, type, model)
}

export function missingData(): DomainError {
  return fault('data', 'Missing "data" payload in the request body: it must be an object')
}

export function fault(name: string, message: string): DomainError {
  return invalid([{ path: [name], rule: 'invalid', message }])
}

/** The language of a new entry; an unknown code is refused. */
export function localeOf(
  type: ContentType,
  model: ContentModel,
  given: string | undefined,
): string | null {
  if (!type.localized || given === undefined) return null
  if (!model.findLocale(given)) throw fault('locale', `There is no locale ${given}`)
  return spelled(model, given)
}

function parseData(data: Raw, type: ContentType, model: ContentModel): Body {
  return {
    values: knownValues(type, data, model),
    locale: parseLocaleMember(data['locale']),
    publishedAtMs: type.draftAndPublish ? parsePublishedAt(data['publishedAt']) : undefined,
  }
}

/** An `id` says which component of the entry is meant. */
function knownValues(set: FieldSet, data: Raw, model: ContentModel): Record<string, unknown> {
  const known = Object.entries(data).flatMap(([name, value]) => {
    const attribute = set.attribute.get(name)
    if (!attribute) return []
    const stored = mapParts(model, attribute, value, (component, part) => {
      const { id, [COMPONENT_MEMBER]: uid } = part
      return {
        ...(attribute.type === 'dynamiczone' ? { [COMPONENT_MEMBER]: uid } : {}),
        ...(id === undefined ? {} : { id }),
        ...knownValues(component, part, model),
      }
    })
    return [[name, stored] as const]
  })
  return Object.fromEntries(known)
}

function parseLocaleMember(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw fault('locale', 'locale must be a language code')
  return value
}

function parsePublishedAt(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return value
  const isGiven = typeof value === 'string' || typeof value === 'number'
  const ms = isGiven ? (parseMoment(String(value)) ?? parseDate(String(value))) : undefined
  if (ms !== undefined) return ms
  throw fault('publishedAt', 'publishedAt must be a time such as 2026-05-04T10:20:30Z, or null')
}
