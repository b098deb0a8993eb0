/** The use cases of the administration, the same for every resource. */
import { DomainError, isObject } from '#kernel'
import type { Kind } from '../protocol.ts'
import type { Fault } from '../resources/check.ts'
import type { Description } from '../resources/descriptions.ts'
import type { Json, JsonObject } from '../resources/values.ts'
import type { Configuration } from './configuration.ts'
import type { Draft, PutTerms } from './draft.ts'
import { invalidConfiguration, keyNotFound, refuse } from './errors.ts'
import { withKept } from './kept-secrets.ts'
import { mergePatch, replaceAt } from './patch.ts'
import {
  clientTypeFaults,
  countKeys,
  credentialFaults,
  findUser,
  globalRuleFaults,
  groupFaults,
  isBuiltIn,
  referenceFaults,
} from './rules.ts'
import type { Stored } from './store.ts'

interface Deps {
  readonly configuration: Configuration
  readonly descriptions: ReadonlyMap<Kind, Description>
}

export interface Written {
  readonly object: Stored
  readonly isNew: boolean
}

/** Who writes, for how long, and what the writer has seen (contract §2, concurrency). */
export interface Terms {
  readonly by: string
  readonly ttlMs?: number | undefined
  readonly ifMatch?: string | undefined
  readonly isCreateOnly?: boolean
}

const ID = /^[A-Za-z0-9_.-]{1,64}$/
/** What reads as a number is one, and only those above 0 are ids (contract §2). */
const NOT_POSITIVE = /^(-\d+|0+)$/
const USERNAME = /^[A-Za-z0-9_-]{1,256}$/
const PLUGIN_NAME = /^[A-Za-z0-9_-]{1,100}$/
/** A value that was read can be put back. */
const IGNORED = ['create_time', 'update_time', 'createdIndex', 'modifiedIndex']

export function createObjects({ configuration, descriptions }: Deps) {
  return { put, create, patch, patchPath, remove, removeOver, get, validate, faultsOf }

  function put(kind: Kind, id: string | undefined, body: unknown, terms: Terms) {
    const { id: found, value } = identify(kind, id, body)
    return configuration.change((draft): Written => {
      const before = draft.find(kind, found)
      demand(before, terms)
      const lasting = lastingOf(draft, terms)
      return { object: accept(draft, kind, found, value, lasting), isNew: before === undefined }
    }, terms)
  }

  /** The id is made from the index of this very write, so nobody else has it. */
  function create(kind: Kind, body: unknown, terms: Terms): Promise<Written> {
    const value = toObject(body)
    if (value['id'] !== undefined) throw refuse('wrong id, do not need it')
    return configuration.change((draft) => {
      const id = String(draft.index).padStart(20, '0')
      const given = withoutIgnored(value)
      return { object: accept(draft, kind, id, given, lastingOf(draft, terms)), isNew: true }
    }, terms)
  }

  function patch(kind: Kind, id: string, body: unknown, when: Terms): Promise<Written> {
    const change = withoutIgnored(toObject(body))
    return edit(kind, id, when, (value) => {
      if (change['id'] !== undefined && String(change['id']) !== id) throw refuse('wrong id')
      const { id: _own, ...rest } = change
      return mergePatch(value, rest)
    })
  }

  function patchPath(
    kind: Kind,
    id: string,
    path: readonly string[],
    body: Json,
    when: Terms,
  ): Promise<Written> {
    return edit(kind, id, when, (value) => withoutIgnored(replaceAt(value, path, body)))
  }

  function edit(
    kind: Kind,
    id: string,
    terms: Terms,
    work: (value: JsonObject) => JsonObject,
  ): Promise<Written> {
    refuseBuiltIn(kind, id)
    return configuration.change((draft) => {
      const before = draft.find(kind, id)
      if (!before) throw keyNotFound()
      demand(before, terms)
      // The edit of a member changes nothing of how long the object lasts.
      return { object: accept(draft, kind, id, work(before.value), before), isNew: false }
    }, terms)
  }

  function remove(kind: Kind, id: string, force: boolean, terms: Terms): Promise<void> {
    refuseBuiltIn(kind, id)
    return configuration.change((draft) => {
      const before = draft.find(kind, id)
      if (!before) throw keyNotFound()
      demand(before, terms)
      const user = force ? undefined : findUser(draft, { kind, id }, descriptions)
      if (user) throw refuse(user)
      drop(draft, before)
    }, terms)
  }

  /** Everything whose time is over, as `force` would remove it: who still refers to it gets 502. */
  async function removeOver(nowMs: number): Promise<void> {
    const isOver = ({ expiresAtMs }: Stored) => expiresAtMs !== undefined && expiresAtMs <= nowMs
    if (![...configuration.all()].some(isOver)) return
    await configuration.change(
      (draft) => {
        for (const object of draft.all().filter(isOver)) drop(draft, object)
      },
      { by: 'ttl' },
    )
  }

  function drop(draft: Draft, { kind, id }: Stored) {
    draft.remove(kind, id)
    if (kind === 'consumers') removeCredentials(draft, id)
  }

  function removeCredentials(draft: Draft, username: string) {
    for (const { id } of draft.list('credentials')) {
      if (id.startsWith(`${username}/`)) draft.remove('credentials', id)
    }
  }

  function get(kind: Kind, id: string): Stored {
    const found = configuration.find(kind, id)
    if (!found) throw keyNotFound()
    return found
  }

  /** Throws with every fault; the draft is of no use afterwards. */
  function accept(
    draft: Draft,
    kind: Kind,
    id: string,
    given: JsonObject,
    lasting: PutTerms,
  ): Stored {
    const value = withKept(describe(kind), given, draft.find(kind, id))
    const own = faultsIn(kind, value)
    const object = draft.put(kind, id, value, lasting)
    const faults = own.length > 0 ? own : relationFaults(draft, object)
    if (faults.length > 0) throw invalidConfiguration(faults)
    return object
  }

  function faultsIn(kind: Kind, value: JsonObject): Fault[] {
    const { findFaults, findIdle } = describe(kind)
    return [...findFaults(value), ...findIdle(value)]
  }

  function relationFaults(draft: Draft, object: Stored, keys = countKeys(draft)): Fault[] {
    return [
      ...referenceFaults(draft, object, descriptions),
      ...clientTypeFaults(draft, object, descriptions),
      ...credentialFaults(object, keys),
      ...groupFaults(object, keys),
      ...globalRuleFaults(draft, object),
    ]
  }

  /** Every fault of an object in a draft that holds all the others already. */
  function faultsOf(draft: Draft, object: Stored, keys: ReturnType<typeof countKeys>): Fault[] {
    const own = faultsIn(object.kind, object.value)
    return [...own, ...relationFaults(draft, object, keys)]
  }

  /** For a value alone: references are not looked at. */
  function validate(kind: Kind, body: unknown): void {
    const { idMember } = describe(kind)
    const { id, ...value } = withoutIgnored(toObject(body))
    const given = idMember === 'id' ? value : { username: 'x', ...value }
    const faults = faultsIn(kind, given)
    if (id !== undefined && !isId(id)) faults.unshift({ path: '/id', message: 'is not an id' })
    if (faults.length > 0) throw invalidConfiguration(faults)
  }

  /** Id and value of a body; the id may be in the path, in the body, or the same in both. */
  function identify(kind: Kind, inPath: string | undefined, body: unknown) {
    const { idMember } = describe(kind)
    const given = withoutIgnored(toObject(body))
    const inBody = given[idMember]
    const own = kind === 'credentials' ? inPath?.slice(inPath.lastIndexOf('/') + 1) : inPath
    if (own !== undefined && inBody !== undefined && String(inBody) !== own) {
      throw refuse(`wrong ${idMember}`)
    }
    const short = own ?? (isScalar(inBody) ? String(inBody) : undefined)
    if (short === undefined) throw refuse(`missing ${idMember}`)
    const isRight = idMember === 'id' && kind !== 'plugin_metadata' ? isId(inBody ?? short) : true
    if (!isRight || !patternFor(kind).test(short)) {
      throw refuse(`wrong ${idMember}: it is not valid`)
    }
    const id = inPath ?? short
    refuseBuiltIn(kind, id)
    if (idMember === 'username') return { id, value: { ...given, username: short } }
    const { id: _id, ...value } = given
    return { id, value }
  }

  function describe(kind: Kind): Description {
    const found = descriptions.get(kind)
    if (!found) throw new Error(`there is no description of ${kind}`)
    return found
  }
}

export type Objects = ReturnType<typeof createObjects>

export function toObject(body: unknown): JsonObject {
  if (!isObject<Json>(body)) throw refuse('invalid configuration: the body must be a JSON object')
  return body
}

/** A text, or an integer above 0. */
export function isId(id: unknown): boolean {
  if (typeof id === 'number') return Number.isSafeInteger(id) && id > 0
  return typeof id === 'string' && ID.test(id) && !NOT_POSITIVE.test(id)
}

function withoutIgnored(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !IGNORED.includes(name)))
}

function patternFor(kind: Kind): RegExp {
  if (kind === 'consumers') return USERNAME
  return kind === 'plugin_metadata' ? PLUGIN_NAME : ID
}

function refuseBuiltIn(kind: Kind, id: string): void {
  if (isBuiltIn(kind, id)) throw refuse(`the upstream [${id}] is built in and cannot be changed`)
}

function demand(before: Stored | undefined, { ifMatch, isCreateOnly }: Terms): void {
  const isOther =
    ifMatch !== undefined &&
    ifMatch !== '*' &&
    !tagsIn(ifMatch).includes(`"${before?.modifiedIndex}"`)
  const isAbsent = ifMatch === '*' && before === undefined
  if (isOther || isAbsent || (isCreateOnly && before)) {
    throw new DomainError('stale', 'modified_since', 'modified since')
  }
}

/** RFC 9110 §13.1.1: one of several is enough. */
function tagsIn(list: string): string[] {
  return list.split(',').map((tag) => tag.trim())
}

function lastingOf({ nowMs }: Draft, { ttlMs }: Terms): PutTerms {
  return ttlMs === undefined ? {} : { expiresAtMs: nowMs + ttlMs }
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}
