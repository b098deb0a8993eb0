import type { Database } from '#kernel'
import type { ContentModel, ContentType } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { eraseEntries } from '../types/erase-store.ts'
import { findVariants } from './store.ts'

interface Deps {
  readonly db: Database
  model(): ContentModel
}

const ENTRIES_PER_STEP = 50

/** Removes the entries of a locale that is given up, a few at a time; true while there may be more. */
export function createVariantRemoval({ db, model }: Deps) {
  return ({ no, table }: ContentType, code: string): Promise<boolean> =>
    db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<ContentTables>()
      const entries = await findVariants(trx, no, code, ENTRIES_PER_STEP)
      const parts = model().components.map((component) => component.no)
      await eraseEntries(trx, table, entries, parts)
      return entries.length === ENTRIES_PER_STEP
    })
}
