import { isObject } from '#kernel'
import type { Kind } from '../protocol.ts'
import type { Description } from '../resources/descriptions.ts'
import type { Json, JsonObject } from '../resources/values.ts'
import { MASK } from './kept-secrets.ts'
import type { Stored } from './store.ts'

export interface Reader {
  /** Viewers see `******` in place of secrets. */
  readonly isViewer: boolean
}

/** Contract §2: one object in its envelope. */
export function renderObject(object: Stored, description: Description, reader: Reader) {
  return {
    key: keyOf(object.kind, object.id),
    value: renderValue(object, description, reader),
    createdIndex: object.createdIndex,
    modifiedIndex: object.modifiedIndex,
  }
}

/** What the client sent, with id and times; defaults are not written into it. */
export function renderValue(object: Stored, description: Description, reader: Reader): JsonObject {
  const { id, createTime, updateTime } = object
  const hidden = new Set(description.hidden)
  const shown = Object.fromEntries(
    Object.entries(object.value).filter(([name]) => !hidden.has(name)),
  )
  const value = reader.isViewer ? maskAll(shown, description.secrets(object.value)) : shown
  const identity = description.idMember === 'id' ? { id: lastPart(id) } : {}
  return { ...identity, ...value, create_time: createTime, update_time: updateTime }
}

/** `/gateway/consumers/ann/credentials/1` for the credential `ann/1`. */
export function keyOf(kind: Kind, id: string): string {
  if (kind !== 'credentials') return `/gateway/${kind}/${id}`
  const [username, credential] = id.split('/')
  return `/gateway/consumers/${username}/credentials/${credential}`
}

function lastPart(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1)
}

/** The value with `******` at these paths. */
export function maskAll(value: JsonObject, paths: readonly string[][]): JsonObject {
  return paths.reduce((masked, path) => maskAt(masked, path), value)
}

function maskAt(value: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  const member: Json | undefined = value[name]
  if (member === undefined) return value
  if (rest.length === 0) return { ...value, [name]: MASK }
  return isObject(member) ? { ...value, [name]: maskAt(member, rest) } : value
}
