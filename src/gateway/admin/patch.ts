import { isObject } from '#kernel'
import type { Json, JsonObject } from '../resources/values.ts'
import { refuse } from './errors.ts'

/** Objects are merged deeply, `null` deletes a member, arrays are replaced whole. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...target }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = isObject(value) ? mergePatch(objectIn(target, name), value) : value
  }
  return merged
}

/** Puts a value at a path; missing parents are created. */
export function replaceAt(target: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [name, ...rest] = path
  if (name === undefined) throw refuse('a path is required')
  const before = Object.hasOwn(target, name) ? target[name] : undefined
  if (rest.length === 0) return { ...target, [name]: value }
  if (before !== undefined && !isObject(before)) {
    throw refuse(`invalid path: ${name} is not an object`)
  }
  return { ...target, [name]: replaceAt(before ?? {}, rest, value) }
}

function objectIn(target: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(target, name) ? target[name] : undefined
  return isObject(value) ? value : {}
}
