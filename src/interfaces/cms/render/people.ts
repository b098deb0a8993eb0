import type { Entry, Included } from '#content'
import type { Author, Selection } from '../query/level.ts'

/** An account as editors know it; never its address. */
export interface Person {
  readonly id: number
  readonly uuid: string
  readonly name: string | null
}

/** The accounts that an answer shows. */
export interface People {
  /** Undefined when nobody made it, or somebody whose account is gone. */
  of(entry: Entry, author: Author): Person | undefined
}

export const NOBODY: People = { of: () => undefined }

/** With the names that clients of this dialect put together. */
export function membersOfPerson({ name, id }: Person) {
  return { firstname: name, lastname: null, username: name ?? `User ${id}` }
}

/** Everybody whom entries with this selection show, looked up at once. */
export async function findPeople(
  entries: readonly Entry[],
  selection: Selection,
  byIds: (ids: readonly number[]) => Promise<readonly Person[]>,
): Promise<People> {
  const ids = new Set<number>()
  for (const entry of entries) gather(entry, selection, ids)
  const found = ids.size > 0 ? await byIds([...ids]) : []
  const byId = new Map(found.map((person) => [person.id, person]))
  return { of: (entry, author) => byId.get(entry[author] ?? -1) }
}

type Owner = Entry | { readonly included: Entry['included'] }

function gather(owner: Owner, { parts }: Selection, ids: Set<number>): void {
  for (const [name, part] of parts) {
    const id = part.author && 'type' in owner ? owner[part.author] : null
    if (id !== null) ids.add(id)
    const included = owner.included.get(name)
    if (included) gatherIncluded(included, part, ids)
  }
}

function gatherIncluded(
  included: Included,
  selection: Selection & { readonly on?: ReadonlyMap<string, Selection> },
  ids: Set<number>,
): void {
  switch (included.kind) {
    case 'entry':
      if (included.entry) gather(included.entry, selection, ids)
      return
    case 'entries':
      for (const entry of included.entries) gather(entry, selection, ids)
      return
    case 'part':
      if (included.part) gather(included.part, selection, ids)
      return
    case 'parts':
      for (const part of included.parts) gather(part, selection, ids)
      return
    case 'zone':
      for (const part of included.parts) {
        const inside = selection.on?.get(part.component.uid)
        if (inside) gather(part, inside, ids)
      }
  }
}
