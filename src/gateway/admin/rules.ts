/** What must hold between objects, beyond each of them being valid (contract §2). */
import type { Kind } from '../protocol.ts'
import type { Fault } from '../resources/check.ts'
import type { Description, Reference } from '../resources/descriptions.ts'
import type { JsonObject } from '../resources/values.ts'
import type { Draft } from './draft.ts'
import type { Stored } from './store.ts'

/** Forwards to the main API; there is always one and nobody can change it. */
const BUILT_IN_UPSTREAM = 'entrepot'

/** Members of consumers by which they are found, so no two may be equal. */
const UNIQUE_KEYS = ['key-auth', 'jwt-auth']

type Descriptions = ReadonlyMap<Kind, Description>

/** Whatever the object names has to exist. */
export function referenceFaults(draft: Draft, object: Stored, descriptions: Descriptions): Fault[] {
  const description = descriptions.get(object.kind)
  const missing = (description?.references(object.value) ?? []).filter(
    ({ kind, id }) => !isBuiltIn(kind, id) && !draft.find(kind, id),
  )
  return missing.map(({ kind, id }) => ({
    path: '',
    message: `${nounOf(kind, descriptions)} [${id}] not found`,
  }))
}

/** How many consumers and credentials have each key; made once for many objects. */
export function countKeys(draft: Draft): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const object of draft.all()) {
    if (!hasKeys(object)) continue
    for (const key of keysOf(object)) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** Two consumers with one credential could not be told apart. */
export function credentialFaults(object: Stored, counts: ReadonlyMap<string, number>): Fault[] {
  if (!hasKeys(object)) return []
  return keysOf(object)
    .filter((key) => (counts.get(key) ?? 0) > 1)
    .map((key) => {
      const plugin = key.slice(0, key.indexOf('='))
      return {
        path: `/plugins/${plugin}/key`,
        message: `the same ${plugin} key is used by another consumer`,
      }
    })
}

/** Global rules add up, so one plugin in two of them would run twice. */
export function globalRuleFaults(draft: Draft, object: Stored): Fault[] {
  if (object.kind !== 'global_rules') return []
  const own = pluginNames(object)
  const others = draft.list('global_rules').filter(({ id }) => id !== object.id)
  return others.flatMap((other) =>
    pluginNames(other)
      .filter((name) => own.includes(name))
      .map((name) => ({
        path: `/plugins/${name}`,
        message: `the same plugin [${name}] is in global rule [${other.id}]`,
      })),
  )
}

/** The first object that needs this one: "upstream [1] is still in use by route [7]". */
export function findUser(
  draft: Draft,
  target: Reference,
  descriptions: Descriptions,
): string | undefined {
  for (const object of draft.all()) {
    const description = descriptions.get(object.kind)
    const uses = description?.references(object.value) ?? []
    if (!uses.some(({ kind, id }) => kind === target.kind && id === target.id)) continue
    const noun = nounOf(target.kind, descriptions)
    return `${noun} [${target.id}] is still in use by ${description?.noun} [${object.id}]`
  }
  return undefined
}

export function isBuiltIn(kind: Kind, id: string): boolean {
  return kind === 'upstreams' && id === BUILT_IN_UPSTREAM
}

function nounOf(kind: Kind, descriptions: Descriptions): string {
  return descriptions.get(kind)?.noun ?? kind
}

function hasKeys({ kind }: Stored): boolean {
  return kind === 'consumers' || kind === 'credentials'
}

function keysOf({ value }: Stored): string[] {
  const plugins = objectOf(value['plugins'])
  return UNIQUE_KEYS.flatMap((name) => {
    const { key } = objectOf(plugins[name])
    return typeof key === 'string' ? [`${name}=${key}`] : []
  })
}

function pluginNames({ value }: Stored): string[] {
  return Object.keys(objectOf(value['plugins']))
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
