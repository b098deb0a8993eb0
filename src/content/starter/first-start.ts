import { insertLocale } from '../locales/store.ts'
import type { ContentModel } from '../model.ts'
import type { ModelChange, ModelChanges } from '../types/changes.ts'
import type { Definitions } from '../types/definitions.ts'
import type { NewContentTypeBody } from '../types/schemas.ts'
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
 * What an empty store begins with (content model §7, §11.1): the starter types, unless the settings say
 * none, and the default locale. Each group of types is a transaction, because one for everything is
 * long on a slow machine; the locale comes last. Of several nodes that start at once one does each step,
 * a start that was broken off goes on where it ended, and nobody does it again, also when all types were
 * deleted since: the locale is always there.
 */
export async function runFirstStart(deps: Deps): Promise<void> {
  const { changes, definitions, starter, model, writeDemo } = deps
  if (model().locales.length > 0) return
  for (const group of starter === 'none' ? [] : STARTER_TYPES) await createGroup(group)
  const isFirst = await changes.change(createLocale)
  if (isFirst && starter === 'demo') await writeDemo()

  async function createGroup(bodies: readonly NewContentTypeBody[]): Promise<void> {
    const createTypes = await definitions.prepareTypes(bodies)
    await changes.change(async (change) => {
      const { locales, types } = change.stored
      const names = new Set(types.map(({ definition }) => definition.singularName))
      const isDone = locales.length > 0 || bodies.every((body) => names.has(body.singularName))
      if (!isDone) await createTypes(change)
    })
  }

  async function createLocale({ stored, trx, nowMs }: ModelChange): Promise<boolean> {
    if (stored.locales.length > 0) return false
    await insertLocale(trx, ENGLISH, nowMs)
    return true
  }
}
