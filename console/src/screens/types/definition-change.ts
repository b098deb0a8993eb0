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
): Promise<void> {
  await send(path, { method, query: { force: true }, body })
}
