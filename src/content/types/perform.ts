import { columnOf, foldColumnOf } from '../fields/kind.ts'
import { type ContentType, componentsOf } from '../model.ts'
import { followChangedType } from '../search/follow.ts'
import { forgetIndexState } from '../search/store.ts'
import { type Altering, alterComponent, alterType } from './alter.ts'
import { buildModel, toType } from './build.ts'
import type { ModelChange } from './changes.ts'
import { conversionsOf } from './conversions.ts'
import { createPartsTable } from './ddl.ts'
import { isSame, type StoredComponent, type StoredModel, type StoredType } from './definition.ts'
import type { Design, Designed, DesignedComponent, DesignedType } from './design.ts'
import { changesShape, differences } from './differences.ts'
import { eraseParts } from './erase-store.ts'
import { indexesOfComponent } from './index-specs.ts'
import { forgetIndexesOf } from './index-store.ts'
import type { LostEntries } from './lost-entries.ts'
import { createAtOnce, createMaking, forgetDropping, type MakingDeps } from './making.ts'
import { LONGEST_REQUEST_MS, noteLeftover } from './removed-values.ts'
import {
  deleteComponent,
  deleteType,
  insertComponent,
  lockTypes,
  rememberType,
  updateComponent,
  updateType,
} from './store.ts'

interface Deps extends MakingDeps {
  readonly lost: Pick<LostEntries, 'removeDrafts' | 'removeVariants'>
}

/** Brings tables and stored definitions to a design whose numbers are given. */
export function createPerformer(deps: Deps) {
  const { dialect } = deps
  const { make } = createMaking(deps)
  return { perform }

  async function perform(change: ModelChange, design: Design, altering: Altering): Promise<void> {
    await lockTypes(change.trx, dialect, alteredTypes(design, change.stored))
    // First, because what comes after may need their names.
    for (const type of design.removedTypes) await removeType(change, type)
    for (const component of design.components) await putComponent(change, component)
    for (const type of design.types) await putType(change, type, altering)
    for (const component of design.removedComponents) await removeComponent(change, component)
  }

  async function putType(change: ModelChange, designed: DesignedType, altering: Altering) {
    const { trx, nowMs } = change
    const { before, definition } = designed
    if (!before) {
      const made = altering.made.get(definition.singularName)
      const type = made ?? (await make(trx, definition, nowMs))
      await updateType(trx, { ...type, definition })
      if (made) await forgetDropping(trx, made.no)
      return
    }
    if (isSame(before.definition, definition)) return
    await alterType(change, deps, designed, altering)
    const { singularName } = before.definition
    if (singularName !== definition.singularName) await rememberType(trx, before.definition, nowMs)
    const updatedAtMs = Math.max(nowMs, before.updatedAtMs + 1)
    const after = { ...before, definition, shape: shapeOf(designed), updatedAtMs, changing: null }
    await updateType(trx, after)
    await followChangedType(trx, dialect, toType(after), filledColumns(designed))
  }

  async function putComponent(change: ModelChange, designed: DesignedComponent) {
    const { trx, nowMs } = change
    const { before, definition } = designed
    if (!before) {
      const times = { createdAtMs: nowMs, updatedAtMs: nowMs }
      const no = await insertComponent(trx, { shape: 1, definition, ...times })
      await createPartsTable(trx, dialect, { no, attributes: definition.attributes })
      await createAtOnce(trx, dialect, indexesOfComponent(no))
      return
    }
    if (isSame(before.definition, definition)) return
    await alterComponent(change, { dialect }, designed)
    const shape = shapeOf(designed)
    await updateComponent(trx, { ...before, definition, shape, updatedAtMs: nowMs })
  }

  /** Its entries go afterwards, in steps; from now on nobody finds them. */
  async function removeType({ trx, nowMs }: ModelChange, type: StoredType) {
    const table = `content_v${type.no}` as const
    await deleteType(trx, type.no)
    await rememberType(trx, type.definition, nowMs)
    await forgetIndexesOf(trx, table)
    await forgetIndexState(trx, type.no)
    await noteLeftover(trx, { table, columns: [], attributeNos: [], drop: type })
  }

  /** Its table stays for requests that began before, without anything in it. */
  async function removeComponent({ trx, stored, nowMs }: ModelChange, { no }: StoredComponent) {
    const table = `content_c${no}` as const
    const others = stored.components.map((component) => component.no)
    await eraseParts(trx, no, others)
    await deleteComponent(trx, no)
    await forgetIndexesOf(trx, table)
    const notBeforeMs = nowMs + LONGEST_REQUEST_MS
    await noteLeftover(trx, { table, columns: [], attributeNos: [], emptied: true, notBeforeMs })
  }
}

/** With those that hold a component that is altered: their writers write its table. */
export function alteredTypes(design: Design, stored: StoredModel): number[] {
  const altered = [...design.removedTypes, ...design.types.flatMap(alteredOne)]
  const components = [...design.removedComponents, ...design.components.flatMap(alteredOne)]
  return [...new Set([...altered, ...holdersOf(components, stored)].map(({ no }) => no))]
}

function holdersOf(components: readonly StoredComponent[], stored: StoredModel): ContentType[] {
  if (components.length === 0) return []
  const numbers = new Set(components.map(({ no }) => no))
  const model = buildModel(stored, 0)
  return model.types.filter((type) =>
    [...componentsOf(model, type)].some(({ no }) => numbers.has(no)),
  )
}

/** Of a set of definitions: those that exist and will be others. */
export function alteredOne<Before extends StoredType | StoredComponent>({
  before,
  definition,
}: Designed<Before['definition'], Before>): Before[] {
  return before && !isSame(before.definition, definition) ? [before] : []
}

/** Of attributes that had values before the change: under other numbers, or where nobody searched for them. */
function filledColumns(designed: DesignedType): ReadonlySet<string> {
  const changes = differences(designed)
  const converted = conversionsOf(changes).map(({ to }) => to)
  const known = designed.before?.definition.attributes ?? []
  return new Set([...converted, ...known].flatMap((each) => [columnOf(each), foldColumnOf(each)]))
}

function shapeOf(designed: DesignedType | DesignedComponent): number {
  const changed = changesShape(designed, differences(designed))
  return (designed.before?.shape ?? 0) + (changed ? 1 : 0)
}
