import type { ConfigChange, ConfigObject } from './protocol.ts'

/** The configuration a gateway thread works with. Never changed: a change makes a new one. */
export interface Snapshot {
  readonly revision: number
  readonly objects: ReadonlyMap<string, ConfigObject>
}

export const emptySnapshot: Snapshot = { revision: 0, objects: new Map() }

export function fullSnapshot(revision: number, objects: readonly ConfigObject[]): Snapshot {
  return { revision, objects: new Map(objects.map((object) => [keyOf(object), object])) }
}

/** Applied beside the old snapshot, so that a request keeps the configuration it started with. */
export function applyDelta(
  snapshot: Snapshot,
  revision: number,
  changes: readonly ConfigChange[],
): Snapshot {
  const objects = new Map(snapshot.objects)
  for (const change of changes) {
    if ('put' in change) objects.set(keyOf(change.put), change.put)
    else objects.delete(keyOf(change.remove))
  }
  return { revision, objects }
}

function keyOf({ kind, id }: { kind: string; id: string }): string {
  return `${kind}/${id}`
}
