import type { Kysely } from 'kysely'
import type { SqlDialect } from '#db'
import { conflict } from '#kernel'
import type { EntryAction } from '../entries/event-names.ts'
import type { Registered } from '../entries/store/registry.ts'
import { isUnique, kindOf } from '../fields/index.ts'
import { columnOf, foldColumnOf } from '../fields/kind.ts'
import { type Attribute, isScalar, isToMany, type ScalarAttribute } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { buildModel } from './build.ts'
import type { ModelChange } from './changes.ts'
import { type Conversion, conversionsOf, fillNext, fillParts, markerOf } from './conversions.ts'
import { type ComponentNo, findClashes } from './count-store.ts'
import { addColumns, addMarker } from './ddl.ts'
import { componentUid } from './definition.ts'
import type { Design, DesignedComponent, DesignedType } from './design.ts'
import { type AttributeChange, becomesShared, changesShape, differences } from './differences.ts'
import { eventsAbout, type TellingDeps } from './entry-events.ts'
import { keepFirst, keepFirstOwner } from './erase-store.ts'
import { isExclusive } from './impact.ts'
import { indexesOfType } from './index-specs.ts'
import { dropIndex, findIndexes, wishIndexes } from './index-store.ts'
import { noteLeftover } from './removed-values.ts'
import {
  shareValues,
  startLocalizing,
  startPublishing,
  stopLocalizing,
  stopPublishing,
} from './toggle-store.ts'

interface Deps extends TellingDeps {
  readonly dialect: SqlDialect
}

export interface Altering {
  readonly force: boolean
  /** Columns that exist already, because they were filled before. */
  readonly prepared: ReadonlySet<number>
}

const MOST_CLASHES = 10
const TOLD_AT_ONCE = 500

/** Brings the table of an existing type, and what its entries hold, to a new definition. */
export async function alterType(
  { tx, trx, stored }: ModelChange,
  { dialect, appendEvents, publicUrl }: Deps,
  designed: DesignedType,
  { force, prepared }: Altering,
): Promise<void> {
  const { before, definition } = designed
  if (!before) return
  const { no } = before
  const table = `content_v${no}` as const
  const changes = differences(designed)
  const componentNo = numbersOf(stored)
  const components = stored.components.map(({ no }) => no)
  const defaultLocale = stored.locales.find(({ isDefault }) => isDefault)?.code ?? ''
  const toggled = { no, defaultLocale, components }
  await dialect.lockTable(table, 'writers').execute(trx)
  await dialect.textIndex.settle.execute(trx)
  await addColumns(trx, dialect, table, newOnes(changes, prepared))
  await convertRest(conversionsOf(changes))
  await narrow(changes)
  await toggle()
  for (const attribute of sharedOnes(changes)) await shareValues(trx, toggled, attribute)
  await makeUnique()
  if (needsCleanup(designed, changes)) await noteLeftover(trx, { table, ...leftovers(changes) })

  /** What was saved while the columns were filled; nobody can save more now. */
  async function convertRest(conversions: readonly Conversion[]) {
    if (conversions.length === 0) return
    const isPrepared = conversions.every(({ to }) => prepared.has(to.no))
    if (!isPrepared) await addMarker(trx, dialect, table, markerOf(conversions))
    let last: number | null = 0
    while (last !== null) {
      const filled = await fillNext(
        { reader: trx, writer: trx },
        { dialect, table, conversions },
        last,
      )
      if (filled.misfits.length > 0 && !force) throw misfitting(conversions)
      last = filled.last
    }
  }

  async function narrow(all: readonly AttributeChange[]) {
    for (const change of all) {
      if (change.action !== 'change') continue
      await narrowOne(change.before, change.after)
    }
  }

  async function narrowOne(was: Attribute, is: Attribute) {
    if (isToMany(was) && !isToMany(is) && was.no === is.no) {
      const no = is.type === 'component' ? componentNo(is.component) : undefined
      if (is.type !== 'component') await keepFirst(trx, 'content_links', is.no)
      else if (no !== undefined) await keepFirst(trx, `content_c${no}`, is.no)
    }
    if (was.type !== 'relation' || is.type !== 'relation' || is.side === 'inverse') return
    if (isExclusive(is) && !isExclusive(was)) await keepFirstOwner(trx, table, is.linkNo)
  }

  async function toggle() {
    const was = before?.definition
    if (was?.localized === false && definition.localized) {
      await moved(() => startLocalizing(trx, toggled))
    }
    if (was?.localized === true && !definition.localized) {
      await moved(() => stopLocalizing(trx, toggled, (entries) => tell('deleted', entries)))
    }
    if (was?.draftAndPublish === false && definition.draftAndPublish) {
      await startPublishing(trx, toggled)
    }
    if (was?.draftAndPublish === true && !definition.draftAndPublish) {
      const { published, updated } = await stopPublishing(trx, toggled)
      await tell('published', published)
      await tell('updated', updated)
    }
  }

  /** Whoever follows changes learns which entries went and which are live now. */
  async function tell(action: EntryAction, entries: readonly Registered[]) {
    const model = buildModel(stored, 0)
    const type = model.typeByNo(no)
    if (!type) return
    for (let at = 0; at < entries.length; at += TOLD_AT_ONCE) {
      const some = entries.slice(at, at + TOLD_AT_ONCE)
      await appendEvents(tx, await eventsAbout(trx, some, { type, model, action, publicUrl }))
    }
  }

  /** Every row gets another locale; indexes that lead with it are replaced by others anyway. */
  async function dropLocaleIndexes() {
    for (const { spec } of await findIndexes(trx, table)) {
      if (!spec.unique && spec.columns.includes('locale')) await dropIndex(trx, spec.name)
    }
  }

  /** Two entries of different types may have the same path as long as their locales differ. */
  async function moved(work: () => Promise<void>) {
    await dropLocaleIndexes()
    try {
      await work()
    } catch (error) {
      if (!dialect.isUniqueViolation(error)) throw error
      throw conflict('conflict', 'Entries of another type have the same paths in that locale')
    }
  }

  /** Looked for before; only what was saved since can be in the way of an index. */
  async function makeUnique() {
    try {
      await wishIndexes(trx, dialect, table, indexesOfType(no, definition))
    } catch (error) {
      if (!dialect.isUniqueViolation(error)) throw error
      throw conflict('conflict', 'Several entries with one value were saved meanwhile; try again')
    }
  }
}

/** Refuses a value that must become unique and is not, with some of those that clash. */
export async function refuseClashes(db: Kysely<ContentTables>, { types }: Design): Promise<void> {
  for (const type of types) {
    if (!type.before) continue
    for (const attribute of newlyUnique(differences(type))) {
      const found = await findClashes(db, `content_v${type.before.no}`, attribute, MOST_CLASHES)
      if (found.length === 0) continue
      const values = found.map((value) => shownValue(value, attribute))
      const message = `${attribute.name} cannot be unique: several entries have ${values.slice(0, 3).join(', ')}`
      throw conflict('conflict', message, { attribute: attribute.name, values })
    }
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

function numbersOf({ components }: ModelChange['stored']): ComponentNo {
  return (uid) => components.find(({ definition }) => componentUid(definition) === uid)?.no
}

function newOnes(changes: readonly AttributeChange[], prepared: ReadonlySet<number>): Attribute[] {
  return changes.flatMap((change) => {
    if (change.action === 'remove' || prepared.has(change.after.no)) return []
    const isNew = change.action === 'add' || change.before.no !== change.after.no
    return isNew ? [change.after] : []
  })
}

function sharedOnes(changes: readonly AttributeChange[]): ScalarAttribute[] {
  return changes.flatMap((change) => {
    if (change.action !== 'change' || !becomesShared(change)) return []
    return isScalar(change.after) ? [change.after] : []
  })
}

/** As they are stored now, also those that are about to be converted. */
function newlyUnique(changes: readonly AttributeChange[]): ScalarAttribute[] {
  return changes.flatMap((change) => {
    if (change.action !== 'change') return []
    const { before, after } = change
    return isUnique(after) && !isUnique(before) && isScalar(before) ? [before] : []
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

function shownValue(value: unknown, attribute: ScalarAttribute): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value
  return kindOf(attribute).fromColumn(value, attribute)
}

function misfitting(conversions: readonly Conversion[]) {
  const names = conversions.map(({ to }) => to.name).join(', ')
  return conflict('would_lose_data', `Values of ${names} were saved meanwhile that do not fit`)
}
