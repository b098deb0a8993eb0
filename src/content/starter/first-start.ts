import { insertLocale } from '../locales/store.ts'
import type { ContentModel } from '../model.ts'
import type { ModelChange, ModelChanges } from '../types/changes.ts'
import type { Definitions } from '../types/definitions.ts'
import { STARTER_TYPES } from './types.ts'

export type Starter = 'types' | 'demo' | 'none'

interface Deps {
  readonly changes: ModelChanges
  readonly definitions: Pick<Definitions, 'prepareTypes'>
  readonly starter: Starter
  model(): ContentModel
  /** Fills the new types with entries. */
  writeDemo(): Promise<void>
}

const ENGLISH = { code: 'en', name: 'English', isDefault: true, fallback: null }

/**
 * What an empty store begins with (content model §7, §11.1): the default locale and, unless the
 * settings say none, the starter types. Of several nodes that start at once one does it, and nobody
 * does it again, also when all types were deleted since: the locale is always there.
 */
export async function runFirstStart(deps: Deps): Promise<void> {
  const { changes, definitions, starter, model, writeDemo } = deps
  if (model().locales.length > 0) return
  const createTypes = await definitions.prepareTypes(starter === 'none' ? [] : STARTER_TYPES)
  const isFirst = await changes.change(createFirst)
  if (isFirst && starter === 'demo') await writeDemo()

  async function createFirst(change: ModelChange): Promise<boolean> {
    if (change.stored.locales.length > 0) return false
    await insertLocale(change.trx, ENGLISH, change.nowMs)
    await createTypes(change)
    return true
  }
}
