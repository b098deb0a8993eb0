import type { ContentModel, ContentType, Entry, EntryInput } from '#content'
import { DomainError, type Issue, invalid, isObject, isUuid } from '#kernel'
import { isReference } from '../query/members.ts'
import type { Version } from '../query/parse.ts'
import { renderRecord } from '../render/entry.ts'
import { rename, toValues } from './values.ts'

export type Body = Readonly<Record<string, unknown>>

export interface ParsedBody {
  readonly input: EntryInput
  /** Creation only. */
  readonly status: 'published' | 'draft' | undefined
  /** Refusals of the store with the names that the caller used. */
  withWireNames(error: unknown): unknown
}

interface Against {
  readonly model: ContentModel
  readonly type: ContentType
  readonly version: Version
  readonly mode: 'create' | 'change'
  /** What is stored, where `needsCurrent` asked for it. */
  readonly current?: Entry | undefined
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The record that was sent: `{ "data": {…} }` and nothing else is what answers look like. */
export function unwrap(body: unknown): Body {
  if (body === undefined)
    throw new DomainError('invalid', 'invalid_json', 'A JSON body is required')
  if (!isObject(body)) throw wrong([], 'type', 'The body must be an object')
  const { data, ...rest } = body
  return isObject(data) && Object.keys(rest).length === 0 ? data : body
}

/** Whether it names something that only the stored record can confirm. */
export function needsCurrent(body: Body, type: ContentType, version: Version): boolean {
  return readOnly(type, version).some((name) => Object.hasOwn(body, name))
}

/**
 * The members of a record as the store takes them. Names it does not know go on to the store, which
 * reports them together with everything else that is wrong.
 */
export function parseBody(body: Body, against: Against): ParsedBody {
  const { model, type } = against
  const issues: Issue[] = []
  const input: Mutable<EntryInput> = { values: {} }
  const left: Record<string, unknown> = { ...body }
  const isNew = against.mode === 'create'
  const status = isNew ? takeCreation(left, input, against, issues) : undefined
  refuseReadOnly(left, against, issues)
  takeSystem(left, input, type, issues)
  if (issues.length > 0) throw invalid(issues)
  const renamed = new Map<string, string>()
  input.values = toValues(model, type, left, [], renamed)
  return { input, status, withWireNames: (error) => rename(error, renamed) }
}

/** PUT: what is required must be there, though unversioned values stay as they are (contract §3). */
export function missingFrom(body: Body, type: ContentType): Issue[] {
  const missing = type.attributes.filter((attribute) => {
    const { name, required, unversioned } = attribute
    if (!required || unversioned || Object.hasOwn(body, name)) return false
    return !(isReference(attribute) && Object.hasOwn(body, `${name}_id`))
  })
  return missing.map(({ name }) => ({
    path: [name],
    rule: 'required',
    message: `${name} is required`,
  }))
}

/** Shown, but not for the caller to decide. */
function readOnly(type: ContentType, version: Version): string[] {
  return [
    ...['id', 'document_id', 'created_at', 'updated_at', 'path'],
    ...(version === 2 ? ['entry_id'] : []),
    ...(type.draftAndPublish ? ['published_at', 'status'] : []),
    ...(type.localized ? ['locale'] : []),
  ]
}

function takeCreation(
  left: Record<string, unknown>,
  input: Mutable<EntryInput>,
  { type }: Against,
  issues: Issue[],
): 'published' | 'draft' | undefined {
  let status: 'published' | 'draft' | undefined
  if (type.draftAndPublish) {
    take(left, 'status', (value) => {
      if (value === 'published' || value === 'draft') status = value
      else issues.push(issue('status', 'enum', 'must be published or draft'))
    })
  }
  if (!type.localized) return status
  take(left, 'locale', (value) => {
    if (typeof value === 'string' || value === null) input.locale = value
    else issues.push(issue('locale', 'type', 'must be a string'))
  })
  take(left, 'document_id', (value) => {
    if (typeof value === 'string' && isUuid(value)) input.documentId = value.toLowerCase()
    else issues.push(issue('document_id', 'type', 'must be a document id'))
  })
  return status
}

function refuseReadOnly(
  left: Record<string, unknown>,
  { type, version, current }: Against,
  issues: Issue[],
): void {
  const given = readOnly(type, version).filter((name) => Object.hasOwn(left, name))
  if (given.length === 0) return
  const stored = current ? storedMembers(current, version) : {}
  for (const name of given) {
    take(left, name, (value) => {
      if (isStored(name, value, stored)) return
      issues.push(issue(name, 'read_only_field', 'cannot be changed here'))
    })
  }
}

function storedMembers(current: Entry, version: Version): Record<string, unknown> {
  return JSON.parse(renderRecord(current, { version, state: 'working', fields: null }))
}

function isStored(name: string, value: unknown, stored: Record<string, unknown>): boolean {
  if (!Object.hasOwn(stored, name)) return false
  // The live copy of a changed entry was shown as published.
  if (name === 'status' && value === 'published') return stored['status'] !== 'draft'
  return stored[name] === value
}

function takeSystem(
  left: Record<string, unknown>,
  input: Mutable<EntryInput>,
  { attribute }: ContentType,
  issues: Issue[],
): void {
  const taking: Record<string, (value: unknown) => string | undefined> = {
    external_id(value) {
      if (typeof value !== 'string' && value !== null) return 'must be a string or null'
      if (value !== null && (value.length === 0 || value.length > 255)) {
        return 'must have 1 to 255 characters'
      }
      input.externalId = value
      return undefined
    },
    tree_parent_id(value) {
      if (value !== null && !(typeof value === 'string' && isUuid(value))) {
        return 'must be a document id or null'
      }
      input.parent = value?.toLowerCase() ?? null
      return undefined
    },
    sort_order(value) {
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) return 'must be an integer'
      input.sortOrder = value
      return undefined
    },
    is_root(value) {
      if (typeof value !== 'boolean') return 'must be a boolean'
      input.isRoot = value
      return undefined
    },
  }
  for (const [name, accept] of Object.entries(taking)) {
    if (attribute.has(name)) continue
    take(left, name, (value) => {
      const problem = accept(value)
      if (problem !== undefined) issues.push(issue(name, 'type', problem))
    })
  }
}

function take(left: Record<string, unknown>, name: string, use: (value: unknown) => void): void {
  if (!Object.hasOwn(left, name)) return
  use(left[name])
  delete left[name]
}

function issue(name: string, rule: string, message: string): Issue {
  return { path: [name], rule, message: `${name} ${message}` }
}

function wrong(path: readonly (string | number)[], rule: string, message: string): DomainError {
  return invalid([{ path, rule, message }])
}
