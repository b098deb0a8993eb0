import type { ContentModel } from '../model.ts'
import type { ModelChanges } from '../types/changes.ts'
import { insertLocale } from './store.ts'

interface Deps {
  readonly changes: ModelChanges
  model(): ContentModel
}

/** Content model §7: first start has `en` as the default; of several nodes one adds it. */
export async function createFirstLocale({ changes, model }: Deps): Promise<void> {
  if (model().locales.length > 0) return
  await changes.change(async ({ trx, stored, nowMs }) => {
    if (stored.locales.length > 0) return
    await insertLocale(trx, { code: 'en', name: 'English', isDefault: true, fallback: null }, nowMs)
  })
}
