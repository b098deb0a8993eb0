import { send } from '../../api/client.ts'
import type { Attributes } from '../../api/content.ts'
import { ownOf } from '../../parts/own.ts'
import type { Impact } from './change.tsx'

/** The members of a merge: what was taken away is null, what stays as it was is left out. */
export function attributeChanges(before: Attributes, after: Attributes): Record<string, unknown> {
  const renamed = new Set(Object.values(after).map(({ renamedFrom }) => renamedFrom))
  const removed = Object.keys(before)
    .filter((name) => !Object.hasOwn(after, name) && !renamed.has(name))
    .map((name) => [name, null])
  const changed = Object.entries(after).filter(
    ([name, attribute]) => JSON.stringify(attribute) !== JSON.stringify(ownOf(before, name)),
  )
  return Object.fromEntries([...removed, ...changed])
}

/** Whether they stand in another order than a merge leaves them in: what is there keeps its place, what is new comes last. */
export function isReordered(before: Attributes, after: Attributes): boolean {
  const names = Object.keys(after)
  const now = new Map(Object.entries(after).map(([name, own]) => [own.renamedFrom ?? name, name]))
  const kept = Object.keys(before).flatMap((name) => now.get(name) ?? [])
  const merged = [...kept, ...names.filter((name) => !kept.includes(name))]
  return merged.join() !== names.join()
}

/** Entries are called by a field that is renamed under its new name, and by none that is gone. */
export function calledBy(
  displayField: string | null,
  before: Attributes,
  after: Attributes,
): string | null {
  if (displayField === null || Object.hasOwn(after, displayField)) return displayField
  const [old, now] = [Object.keys(before), Object.keys(after)]
  // A renamed one keeps its place.
  return old.length === now.length ? (now[old.indexOf(displayField)] ?? null) : null
}

export async function dryRun(
  path: string,
  method: 'PATCH' | 'DELETE',
  body?: unknown,
): Promise<readonly Impact[]> {
  const query = { dry_run: true }
  const answer = await send<{ data: { changes: Impact[] } }>(path, { method, query, body })
  return answer.body.data.changes
}

/** `force`: values that are lost were named to a person, who agreed. */
export async function carryOut(
  path: string,
  method: 'PATCH' | 'DELETE',
  body?: unknown,
): Promise<Definition | undefined> {
  const answer = await send<{ data: Definition } | ''>(path, {
    ...{ method, body },
    query: { force: true },
  })
  return answer.body === '' ? undefined : answer.body.data
}

interface Definition {
  readonly uid: string
  readonly attributes: Attributes
  readonly changing?: readonly string[]
}

/**
 * Only a whole definition has an order. It is the one that the change has just led to, and nothing may be lost by it, so
 * that what somebody else has added meanwhile stays, at the end.
 */
export async function reorder(path: string, definition: Definition, names: readonly string[]) {
  const { attributes, changing } = definition
  if (changing) throw new Error('Large changes take a while: set the order once this one is done.')
  const known = names.filter((name) => Object.hasOwn(attributes, name))
  const others = Object.keys(attributes).filter((name) => !known.includes(name))
  const ordered = [...known, ...others].map((name) => [name, attributes[name]])
  const address = path.replace(/[^/]*$/, encodeURIComponent(definition.uid))
  const body = { ...definition, attributes: Object.fromEntries(ordered) }
  await send(address, { method: 'PUT', body })
}
