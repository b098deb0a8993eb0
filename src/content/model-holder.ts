import type { Kysely } from 'kysely'
import type { Revisions } from '#bus'
import type { Database } from '#db'
import type { ContentModel } from './model.ts'
import type { ContentTables } from './tables.ts'
import { buildModel } from './types/build.ts'
import { readModel } from './types/store.ts'

/** What everybody who works with types, components or locales watches. */
export const MODEL_TOPIC = 'content.model'

interface Deps {
  readonly db: Database
  readonly revisions: Pick<Revisions, 'watch'>
}

/** Whoever changes the model is answered when all listeners are done. */
export type ModelListener = (model: ContentModel) => void | Promise<void>

/** The model in force in this thread: swapped as a whole, by whomever it was changed. */
export async function createModelHolder({ db, revisions }: Deps) {
  const reader: Kysely<ContentTables> = db.main.reader
  const listeners = new Set<ModelListener>()
  let current = buildModel(await readModel(reader), 0)
  let wanted = 0
  let applying: Promise<void> = Promise.resolve()
  const endWatch = revisions.watch(MODEL_TOPIC, follow)
  return { model: () => current, follow, onChange, close: endWatch }

  /** One after the other; each reading covers all that was asked for before it began. */
  function follow(revision: number): Promise<void> {
    wanted = Math.max(wanted, revision)
    applying = applying
      .catch(() => {})
      .then(async () => {
        if (current.revision >= revision) return
        const target = wanted
        current = buildModel(await readModel(reader), target)
        await Promise.all([...listeners].map((listener) => listener(current)))
      })
    return applying
  }

  function onChange(listener: ModelListener): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
}
