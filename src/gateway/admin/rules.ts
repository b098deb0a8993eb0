/** What must hold between objects, beyond each of them being valid (contract §2). */
import { canonicalJson, isObject } from '#kernel'
import { ownName } from '../plugins/load.ts'
import type { Kind } from '../protocol.ts'
import type { Fault } from '../resources/check.ts'
import type { Description, Reference } from '../resources/descriptions.ts'
import { CREDENTIAL_MEMBERS, type Json, type JsonObject } from '../resources/values.ts'
import type { Draft } from './draft.ts'
import type { Stored } from './store.ts'

/** Forwards to the main API; there is always one and nobody can change it. */
const BUILT_IN_UPSTREAM = 'entrepot'

type Descriptions = ReadonlyMap<Kind, Description>

/** Whatever the object names has to exist. */
export function referenceFaults(draft: Draft, object: Stored, descriptions: Descriptions): Fault[] {
  const description = descriptions.get(object.kind)
  return (description?.references(object.value) ?? []).flatMap(({ kind, id }) => {
    if (isBuiltIn(kind, id)) return []
    const found = draft.find(kind, id)
    const noun = nounOf(kind, descriptions)
    if (!found) return [{ path: '', message: `${noun} [${id}] not found` }]
    return kind === 'ssls' && found.value['type'] !== 'client'
      ? [{ path: '', message: `${noun} [${id}] is not of the type client` }]
      : []
  })
}

/** A certificate that is shown to upstreams stays one of a client. */
export function clientTypeFaults(
  draft: Draft,
  object: Stored,
  descriptions: Descriptions,
): Fault[] {
  if (object.kind !== 'ssls' || object.value['type'] === 'client') return []
  const message = findUser(draft, object, descriptions)
  return message === undefined ? [] : [{ path: '/type', message }]
}

/**
 * How many consumers and credentials have each key, and how many objects are in each group of limits,
 * at all and with each settings; made once for many objects.
 */
export function countKeys(draft: Draft): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const count = (key: string) => void counts.set(key, (counts.get(key) ?? 0) + 1)
  for (const object of draft.all()) {
    if (hasKeys(object)) keysOf(object).forEach(count)
    for (const { group, settings } of groupsOf(object)) [group, settings].forEach(count)
  }
  return counts
}

/** One counter for several routes can only have one limit (contract §7.4). */
export function groupFaults(object: Stored, counts: ReadonlyMap<string, number>): Fault[] {
  return groupsOf(object)
    .filter(({ group, settings }) => counts.get(group) !== counts.get(settings))
    .map(({ plugin }) => ({
      path: `/plugins/${plugin}/group`,
      message: 'the settings must equal those of all others in the group: take another group name',
    }))
}

function groupsOf({ value }: Stored) {
  return Object.entries(objectOf(value['plugins'])).flatMap(([plugin, given]) => {
    if (ownName(plugin) !== 'rate-limiting') return []
    const { _meta, ...settings } = objectOf(given)
    if (typeof settings['group'] !== 'string') return []
    const group = `group ${settings['group']}`
    // The name is part: under the second one a default differs.
    return [{ plugin, group, settings: `${group}=${plugin} ${canonicalJson(settings)}` }]
  })
}

/** Two consumers with one credential could not be told apart. */
export function credentialFaults(object: Stored, counts: ReadonlyMap<string, number>): Fault[] {
  if (!hasKeys(object)) return []
  return keysOf(object)
    .filter((key) => (counts.get(key) ?? 0) > 1)
    .map((key) => {
      const plugin = key.slice(0, key.indexOf('='))
      return {
        path: `/plugins/${plugin}/${CREDENTIAL_MEMBERS.get(plugin)}`,
        message: `the same ${plugin} ${CREDENTIAL_MEMBERS.get(plugin)} is used by another consumer`,
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
  return [...CREDENTIAL_MEMBERS].flatMap(([name, member]) => {
    const key = objectOf(plugins[name])[member]
    return typeof key === 'string' ? [`${name}=${key}`] : []
  })
}

function pluginNames({ value }: Stored): string[] {
  return Object.keys(objectOf(value['plugins'])).map(ownName)
}

function objectOf(value: unknown): JsonObject {
  return isObject<Json>(value) ? value : {}
}
