import type { Entry, EntryInput } from '#content'
import type { ContentModel, ContentType } from '#content-model'
import { DomainError, type Issue, invalid, isObject, isUuid, parseTime } from '#kernel'
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

/** Takes a member of the body into the input; answers what is wrong with it. */
type Accept = (value: unknown, input: Mutable<EntryInput>) => string | undefined

/** The record that was sent: `{ "data": {…} }` and nothing else is what answers look like. */
export function unwrap(body: unknown): Body {
  if (body === undefined)
    throw new DomainError('invalid', 'invalid_json', 'A JSON body is required')
  if (!isObject(body)) {
    throw invalid([{ path: [], rule: 'type', message: 'The body must be an object' }])
  }
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
  const { model, type, version, mode, current } = against
  const issues: Issue[] = []
  const input: Mutable<EntryInput> = { values: {} }
  const left: Record<string, unknown> = { ...body }
  let status: ParsedBody['status']
  if (mode === 'create') takeCreation()
  const stored = current ? storedMembers(current, version) : {}
  for (const name of readOnly(type, version)) {
    take(name, 'read_only_field', (value) =>
      isStored(name, value, stored) ? undefined : 'cannot be changed here',
    )
  }
  const system = type.draftAndPublish ? { ...SYSTEM, ...SCHEDULE } : SYSTEM
  for (const [name, accept] of Object.entries(system)) {
    if (!type.attribute.has(name)) take(name, 'type', accept)
  }
  if (issues.length > 0) throw invalid(issues)
  const renamed = new Map(
    STORED_NAMES.filter(([name, stored]) => isTaken(name) && !Object.hasOwn(left, stored)).map(
      ([name, stored]) => [stored, name],
    ),
  )
  input.values = toValues(model, type, left, [], renamed)
  return { input, status, withWireNames: (error) => rename(error, renamed) }

  function isTaken(name: string): boolean {
    return Object.hasOwn(body, name) && !Object.hasOwn(left, name)
  }

  function takeCreation(): void {
    if (type.draftAndPublish) {
      take('status', 'enum', (value) => {
        if (value !== 'published' && value !== 'draft') return 'must be published or draft'
        status = value
        return undefined
      })
    }
    if (!type.localized) return
    take('locale', 'type', acceptLocale)
    take('document_id', 'type', acceptDocument)
  }

  function take(name: string, rule: string, accept: Accept): void {
    if (!Object.hasOwn(left, name)) return
    const problem = accept(left[name], input)
    if (problem !== undefined) issues.push({ path: [name], rule, message: `${name} ${problem}` })
    delete left[name]
  }
}

/** What is done with the body, refused in the caller's own names. */
export function naming<T>(
  { withWireNames }: Pick<ParsedBody, 'withWireNames'>,
  work: Promise<T>,
): Promise<T> {
  return work.catch((error: unknown) => {
    throw withWireNames(error)
  })
}

/** PUT: what is required must be there, though unversioned values stay as they are (contract §3). */
export function missingFrom(body: Body, type: ContentType): Issue[] {
  const missing = type.attributes.filter((attribute) => {
    const { name, required, unversioned } = attribute
    if (!required || unversioned || Object.hasOwn(body, name)) return false
    return !(isReference(attribute) && Object.hasOwn(body, `${name}_id`))
  })
  return missing.map(({ name }) => {
    return { path: [name], rule: 'required', message: `${name} is required` }
  })
}

/** Shown, but not for the caller to decide. */
function readOnly(type: ContentType, version: Version): string[] {
  return [
    ...['id', 'document_id', 'created_at', 'updated_at', 'path'],
    ...(version === 2 ? ['entry_id'] : []),
    ...(type.draftAndPublish ? ['published_at', 'status', ...complaintOf(type)] : []),
    ...(type.localized ? ['locale'] : []),
  ]
}

/** Shown when it was not published at its time; an attribute may have the name. */
function complaintOf({ attribute }: ContentType): string[] {
  return attribute.has('schedule_error') ? [] : ['schedule_error']
}

function storedMembers(current: Entry, version: Version): Record<string, unknown> {
  return JSON.parse(renderRecord(current, { version, state: 'working', fields: null }))
}

function isStored(name: string, value: unknown, stored: Record<string, unknown>): boolean {
  if (!Object.hasOwn(stored, name)) return false
  // The live copy of a changed entry was shown as published.
  if (name === 'status' && value === 'published') return stored['status'] !== 'draft'
  return JSON.stringify(stored[name]) === JSON.stringify(value)
}

const acceptLocale: Accept = (value, input) => {
  if (typeof value !== 'string' && value !== null) return 'must be a string'
  input.locale = value
  return undefined
}

const acceptDocument: Accept = (value, input) => {
  if (typeof value !== 'string' || !isUuid(value)) return 'must be a document id'
  input.documentId = value.toLowerCase()
  return undefined
}

/** New entries go behind it, and their numbers must be exact, too. */
const LARGEST_ORDER = 999_999_999_999_999

/** Taken unless an attribute has the name. */
const SYSTEM: Readonly<Record<string, Accept>> = {
  external_id(value, input) {
    if (typeof value !== 'string' && value !== null) return 'must be a string or null'
    if (value !== null && (value.length === 0 || value.length > 255)) {
      return 'must have 1 to 255 characters'
    }
    input.externalId = value
    return undefined
  },
  tree_parent_id(value, input) {
    if (value !== null && !(typeof value === 'string' && isUuid(value))) {
      return 'must be a document id or null'
    }
    input.parent = value?.toLowerCase() ?? null
    return undefined
  },
  sort_order(value, input) {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return 'must be an integer'
    if (Math.abs(value) > LARGEST_ORDER) return 'must have at most 15 digits'
    input.sortOrder = value
    return undefined
  },
  is_root(value, input) {
    if (typeof value !== 'boolean') return 'must be a boolean'
    input.isRoot = value
    return undefined
  },
}

/** What the store calls these members when it refuses them. */
const STORED_NAMES = [
  ['external_id', 'externalId'],
  ['tree_parent_id', 'parent'],
  ['is_root', 'isRoot'],
  ['document_id', 'documentId'],
] as const

/** Of types with draft and publish. */
const SCHEDULE: Readonly<Record<string, Accept>> = {
  publish_at: (value, input) =>
    acceptTime(value, (ms) => {
      input.publishAtMs = ms
    }),
  unpublish_at: (value, input) =>
    acceptTime(value, (ms) => {
      input.unpublishAtMs = ms
    }),
}

const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

function acceptTime(value: unknown, take: (ms: number | null) => void): string | undefined {
  const ms = typeof value === 'string' ? parseTime(value) : value
  if (
    ms !== null &&
    !(typeof ms === 'number' && Number.isInteger(ms) && ms >= 0 && ms <= LAST_MS)
  ) {
    return 'must be a time such as 2026-05-04T10:20:30Z, epoch milliseconds, or null'
  }
  take(ms)
  return undefined
}
