import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { Entries } from '../entries/ports.ts'
import type { ContentType } from '../model.ts'
import { SYSTEM } from '../system.ts'
import type { ContentTables } from '../tables.ts'
import { findVariants } from './store.ts'

interface Deps {
  readonly db: Database
  readonly entries: Pick<Entries, 'remove'>
}

const ENTRIES_PER_STEP = 50

/** Removes some entries of a locale that is given up, as if one by one; true while there are more. */
export function createVariantRemoval({ db, entries }: Deps) {
  const writer: Kysely<ContentTables> = db.main.writer
  return async (type: ContentType, code: string): Promise<boolean> => {
    const ids = await findVariants(writer, type.no, code, ENTRIES_PER_STEP)
    for (const id of ids) await entries.remove(SYSTEM, type, { id })
    return ids.length > 0
  }
}
