import type { Kysely } from 'kysely'
import { conflict } from '#kernel'
import { isUnique, kindOf } from '../fields/index.ts'
import { isScalar, type ScalarAttribute } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { findClashes, findMergedClashes, findMergedPaths } from './count-store.ts'
import type { Design, DesignedType } from './design.ts'
import { type AttributeChange, differences } from './differences.ts'
import { lossesOf } from './lost-entries.ts'

type Db = Kysely<ContentTables>

const MOST_CLASHES = 10

/** Refuses a value that must become unique and is not, with some of those that clash. */
export async function refuseClashes(db: Db, { types }: Design, defaultLocale: string) {
  for (const type of types) {
    if (!type.before) continue
    const table = `content_v${type.before.no}` as const
    for (const attribute of newlyUnique(differences(type))) {
      refuse(attribute, await findClashes(db, table, attribute, MOST_CLASHES))
    }
    if (lossesOf(type).variants) await refuseMerged(db, type, defaultLocale)
  }
}

/** What is unique in each language has to be unique among the entries that stay. */
async function refuseMerged(db: Db, { before, definition }: DesignedType, defaultLocale: string) {
  const no = before?.no ?? 0
  const unique = definition.attributes.filter(isScalar).filter(isUnique)
  const known = new Set(before?.definition.attributes.map((attribute) => attribute.no))
  for (const attribute of unique.filter((each) => known.has(each.no))) {
    refuse(attribute, await findMergedClashes(db, no, attribute, defaultLocale, MOST_CLASHES))
  }
  const paths = await findMergedPaths(db, no, defaultLocale, MOST_CLASHES)
  if (paths.length === 0) return
  const message = `Several entries would have the same path: ${paths.slice(0, 3).join(', ')}`
  throw conflict('conflict', message, { values: paths })
}

function refuse(attribute: ScalarAttribute, found: readonly unknown[]) {
  if (found.length === 0) return
  const values = found.map((value) => shownValue(value, attribute))
  const message = `${attribute.name} cannot be unique: several entries have ${values.slice(0, 3).join(', ')}`
  throw conflict('conflict', message, { attribute: attribute.name, values })
}

/** As they are stored now, also those that are about to be converted. */
function newlyUnique(changes: readonly AttributeChange[]): ScalarAttribute[] {
  return changes.flatMap((change) => {
    if (change.action !== 'change') return []
    const { before, after } = change
    return isUnique(after) && !isUnique(before) && isScalar(before) ? [before] : []
  })
}

function shownValue(value: unknown, attribute: ScalarAttribute): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value
  return kindOf(attribute).fromColumn(value, attribute)
}
