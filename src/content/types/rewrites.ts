import type { Kysely } from 'kysely'
import { isExclusive, isScalar, isToMany, type ScalarAttribute } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { buildModel } from './build.ts'
import { componentUid, type StoredModel } from './definition.ts'
import type { DesignedType } from './design.ts'
import { type AttributeChange, becomesShared, differences, lostComponents } from './differences.ts'
import { keepFirst, keepFirstOwner } from './erase-store.ts'
import { erasePartsOf } from './removed-values.ts'
import { moveLocale, publishAsSaved, shareValues } from './rewrite-store.ts'

/**
 * Brings some copies to what a new definition says of them, while the old one still holds or in the
 * transaction that ends it. Doing it again changes nothing.
 */
export type Rewrite = (db: Kysely<ContentTables>, copies: readonly number[]) => Promise<void>

/**
 * What has to be done to every copy of the type, in this order. Without force nothing that could lose a
 * value: there was none to lose when the change was looked at, and for one that came since it is refused.
 */
export function rewritesOf(
  designed: DesignedType,
  stored: StoredModel,
  force: boolean,
): readonly Rewrite[] {
  const { before, definition } = designed
  if (!before) return []
  const table = `content_v${before.no}` as const
  const was = before.definition
  const defaultLocale = defaultLocaleOf(stored)
  const rewrites: Rewrite[] = []
  for (const change of force ? differences(designed) : []) {
    if (change.action === 'change') rewrites.push(...narrowing(table, stored, change))
  }
  if (!was.localized && definition.localized) {
    const locale = before.changing?.locale ?? defaultLocale
    rewrites.push((db, copies) => moveLocale(db, table, copies, locale))
  }
  if (!was.draftAndPublish && definition.draftAndPublish) {
    rewrites.push((db, copies) => publishAsSaved(db, table, copies))
  }
  for (const attribute of force ? sharedOnes(differences(designed)) : []) {
    rewrites.push((db, copies) => shareValues(db, table, copies, { attribute, defaultLocale }))
  }
  return rewrites
}

export function defaultLocaleOf({ locales }: StoredModel): string {
  return locales.find(({ isDefault }) => isDefault)?.code ?? ''
}

/** Where fewer links, files or components are allowed than before. */
function narrowing(
  table: `content_v${number}`,
  stored: StoredModel,
  change: Extract<AttributeChange, { action: 'change' }>,
): Rewrite[] {
  const found: Rewrite[] = removals(stored, change)
  const { components } = stored
  const { before: was, after: is } = change
  if (isToMany(was) && !isToMany(is) && was.no === is.no) {
    const part = is.type === 'component' ? is.component : undefined
    const no = components.find(({ definition }) => componentUid(definition) === part)?.no
    const rows = part === undefined ? 'content_links' : no && (`content_c${no}` as const)
    if (rows) found.push((db, copies) => keepFirst(db, rows, is.no, copies))
  }
  if (was.type !== 'relation' || is.type !== 'relation' || is.side === 'inverse') return found
  if (isExclusive(is) && !isExclusive(was)) {
    found.push((db, copies) => keepFirstOwner(db, table, is.linkNo, copies))
  }
  return found
}

/** Of a zone: what it holds of components that it does not offer any more. */
function removals(
  stored: StoredModel,
  change: Extract<AttributeChange, { action: 'change' }>,
): Rewrite[] {
  const lost = lostComponents(change)
  if (lost.length === 0) return []
  const model = buildModel(stored, 0)
  const components = lost.flatMap((uid) => model.findComponent(uid) ?? [])
  return components.map(
    (component) => (db, copies) =>
      erasePartsOf(db, model, component, copies, (rows) =>
        rows.where('attribute_no', '=', change.before.no),
      ),
  )
}

function sharedOnes(changes: readonly AttributeChange[]): ScalarAttribute[] {
  return changes.flatMap((change) => {
    if (change.action !== 'change' || !becomesShared(change)) return []
    return isScalar(change.after) ? [change.after] : []
  })
}
