import type { Kysely } from 'kysely'
import { conflict, invalid } from '#kernel'
import type { ContentTables } from '../tables.ts'
import { countEntries } from './count-store.ts'
import { componentUid } from './definition.ts'
import type { Design } from './design.ts'

/** Paths, events and links of entries are made of these, so a type with entries keeps them. */
export async function refuseRenames(db: Kysely<ContentTables>, { types, components }: Design) {
  const members = ['singularName', 'pluralName', 'kind'] as const
  for (const { before, definition } of types) {
    const changed = before
      ? members.filter((member) => before.definition[member] !== definition[member])
      : []
    const [member] = changed
    if (!before || member === undefined || (await countEntries(db, before.no)) === 0) continue
    const message = `${changed.join(' and ')} cannot be changed while there are entries`
    throw conflict('type_in_use', message)
  }
  for (const { before, definition } of components) {
    if (!before || componentUid(before.definition) === componentUid(definition)) continue
    throw invalid([
      {
        path: ['name'],
        rule: 'read_only_field',
        message: 'A component keeps its category and name',
      },
    ])
  }
}
