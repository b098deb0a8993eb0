import type { SqlDialect } from '#db'
import { conflict } from '#kernel'
import { kindOf } from '../fields/index.ts'
import { columnOf, foldColumnOf } from '../fields/kind.ts'
import { type Attribute, isScalar, isToMany, type ScalarAttribute } from '../model.ts'
import type { ModelChange } from './changes.ts'
import { conversionsOf, fillNext, fillParts, markerOf, misfitting } from './conversions.ts'
import { inGroups } from './copies-store.ts'
import { addColumns, addMarker } from './ddl.ts'
import type { StoredType } from './definition.ts'
import type { DesignedComponent, DesignedType } from './design.ts'
import { type AttributeChange, changesShape, differences } from './differences.ts'
import { keepFirst } from './erase-store.ts'
import { indexesOfType } from './index-specs.ts'
import { wishIndexes } from './index-store.ts'
import { type LostEntries, lossesOf } from './lost-entries.ts'
import { noteLeftover } from './removed-values.ts'
import { defaultLocaleOf, rewritesOf } from './rewrites.ts'

interface Deps {
  readonly dialect: SqlDialect
  readonly lost: Pick<LostEntries, 'removeDrafts' | 'removeVariants'>
}

export interface Altering {
  readonly force: boolean
  /** Columns that exist already, because they were filled before. */
  readonly prepared: ReadonlySet<number>
  /** New types whose tables exist already, by singular name. */
  readonly made: ReadonlyMap<string, StoredType>
  /** The copies of a type that may not be as the new definition says; all others are. */
  recentOf(typeNo: number): Promise<readonly number[]>
}

/** Brings the table of an existing type, and what is left to bring of its entries, to a new definition. */
export async function alterType(
  change: ModelChange,
  deps: Deps,
  designed: DesignedType,
  altering: Altering,
): Promise<void> {
  const { before } = designed
  if (!before) return
  const { trx, stored } = change
  const { dialect } = deps
  const table = `content_v${before.no}` as const
  const changes = differences(designed)
  await dialect.lockTable(table, 'writers').execute(trx)
  await addColumns(trx, dialect, table, newOnes(changes, altering.prepared))
  const copies = await altering.recentOf(before.no)
  await convertRest(change, dialect, designed, altering, copies)
  if (altering.force) await deps.lost.removeDrafts(change.tx, before.no, lossesOf(designed))
  for (const group of inGroups(copies)) {
    for (const rewrite of rewritesOf(designed, stored, altering.force)) {
      await inWay(dialect, rewrite(trx, group))
    }
    if (!altering.force) continue
    const defaultLocale = defaultLocaleOf(stored)
    const rest = { defaultLocale, copies: group }
    await deps.lost.removeVariants(change.tx, before.no, lossesOf(designed), rest)
  }
  await makeUnique(change, dialect, designed)
  const left = { table, ...leftovers(changes), relocate: lossesOf(designed).variants }
  if (needsCleanup(designed, changes) || left.relocate) await noteLeftover(trx, left)
}

/** What was saved while the columns were filled; nobody can save more now. */
async function convertRest(
  { trx }: ModelChange,
  dialect: SqlDialect,
  designed: DesignedType,
  { prepared, force }: Altering,
  copies: readonly number[],
) {
  const conversions = conversionsOf(differences(designed))
  if (conversions.length === 0) return
  const table = `content_v${designed.before?.no ?? 0}` as const
  const isPrepared = conversions.every(({ to }) => prepared.has(to.no))
  if (!isPrepared) await addMarker(trx, dialect, table, markerOf(conversions))
  for (const only of inGroups(copies)) {
    let last: number | null = 0
    while (last !== null) {
      const filled = await fillNext(
        { reader: trx, writer: trx },
        { dialect, table, conversions, only },
        last,
      )
      if (filled.misfits.length > 0 && !force) throw misfitting(conversions)
      last = filled.last
    }
  }
}

/** Two entries of different types may have the same path as long as their locales differ. */
export async function inWay(dialect: SqlDialect, work: Promise<unknown>) {
  try {
    await work
  } catch (error) {
    if (!dialect.isUniqueViolation(error)) throw error
    throw conflict('conflict', 'Other entries have the same paths or unique values in that locale')
  }
}

/** Looked for before; only what was saved since can be in the way of an index. */
async function makeUnique(
  { trx }: ModelChange,
  dialect: SqlDialect,
  { before, definition }: DesignedType,
) {
  const no = before?.no ?? 0
  try {
    await wishIndexes(trx, dialect, `content_v${no}`, indexesOfType(no, definition))
  } catch (error) {
    if (!dialect.isUniqueViolation(error)) throw error
    throw conflict('conflict', 'Several entries with one value were saved meanwhile; try again')
  }
}

/** The same for the table of a component, which has neither copies nor unique values. */
export async function alterComponent(
  { trx }: ModelChange,
  { dialect }: Pick<Deps, 'dialect'>,
  designed: DesignedComponent,
): Promise<void> {
  if (!designed.before) return
  const table = `content_c${designed.before.no}` as const
  const changes = differences(designed)
  await dialect.lockTable(table, 'writers').execute(trx)
  await addColumns(trx, dialect, table, newOnes(changes, new Set()))
  for (const conversion of conversionsOf(changes)) await fillParts(trx, table, conversion)
  for (const change of changes) {
    if (change.action !== 'change' || !isToMany(change.before) || isToMany(change.after)) continue
    if (change.after.type !== 'component') await keepFirst(trx, 'content_links', change.after.no)
  }
  if (needsCleanup(designed, changes)) await noteLeftover(trx, { table, ...leftovers(changes) })
}

function newOnes(changes: readonly AttributeChange[], prepared: ReadonlySet<number>): Attribute[] {
  return changes.flatMap((change) => {
    if (change.action === 'remove' || prepared.has(change.after.no)) return []
    const isNew = change.action === 'add' || change.before.no !== change.after.no
    return isNew ? [change.after] : []
  })
}

function needsCleanup(
  designed: DesignedType | DesignedComponent,
  changes: readonly AttributeChange[],
): boolean {
  return changesShape(designed, changes) || leftovers(changes).attributeNos.length > 0
}

/** What nothing reads any more, to be erased later. */
function leftovers(changes: readonly AttributeChange[]) {
  const gone = changes.flatMap((change) => {
    if (change.action === 'remove') return [change.before]
    if (change.action === 'add') return []
    const { before, after } = change
    return before.no === after.no && !losesLinks(before, after) ? [] : [before]
  })
  return {
    columns: gone.filter(isScalar).flatMap(columnNames),
    attributeNos: gone.map(({ no }) => no),
  }
}

/** The links are now those of the other end. */
function losesLinks(before: Attribute, after: Attribute): boolean {
  if (before.type !== 'relation' || after.type !== 'relation') return false
  return before.side === 'owning' && after.side === 'inverse'
}

function columnNames(attribute: ScalarAttribute): string[] {
  const own = columnOf(attribute)
  return kindOf(attribute).column.folded ? [own, foldColumnOf(attribute)] : [own]
}
