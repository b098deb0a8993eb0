import { isDeepStrictEqual } from 'node:util'
import type { Ids, SqlDialect } from '#kernel'
import type { ModelChange } from './changes.ts'
import { addColumns, createPartsTable, createValuesTable } from './ddl.ts'
import type { Design, DesignedComponent, DesignedType } from './design.ts'
import { changesShape, differences } from './differences.ts'
import { type IndexSpec, indexesOfComponent, indexesOfType } from './index-specs.ts'
import { createIndex, saveIndexes } from './index-store.ts'
import { insertComponent, insertType, updateComponent, updateType } from './store.ts'

interface Deps {
  readonly dialect: SqlDialect
  readonly ids: Ids
}

/** Brings tables and stored definitions to a design whose numbers are given. */
export function createPerformer({ dialect, ids }: Deps) {
  return { perform }

  async function perform(change: ModelChange, design: Design): Promise<void> {
    for (const component of design.components) await putComponent(change, component)
    for (const type of design.types) await putType(change, type)
  }

  async function putType(change: ModelChange, designed: DesignedType) {
    const { trx, nowMs } = change
    const { before, definition } = designed
    if (!before) {
      const times = { createdAtMs: nowMs, updatedAtMs: nowMs }
      const no = await insertType(trx, { uuid: ids.uuid(), shape: 1, definition, ...times })
      await createValuesTable(trx, dialect, { no, attributes: definition.attributes })
      await createAtOnce(change, indexesOfType(no, definition))
      return
    }
    if (isDeepStrictEqual(plain(before.definition), plain(definition))) return
    const changes = differences(designed)
    const shape = before.shape + (changesShape(designed, changes) ? 1 : 0)
    await addNewColumns(change, `content_v${before.no}`, designed)
    await updateType(trx, { ...before, definition, shape, updatedAtMs: nowMs })
  }

  async function putComponent(change: ModelChange, designed: DesignedComponent) {
    const { trx, nowMs } = change
    const { before, definition } = designed
    if (!before) {
      const times = { createdAtMs: nowMs, updatedAtMs: nowMs }
      const no = await insertComponent(trx, { shape: 1, definition, ...times })
      await createPartsTable(trx, dialect, { no, attributes: definition.attributes })
      await createAtOnce(change, indexesOfComponent(no, definition))
      return
    }
    if (isDeepStrictEqual(plain(before.definition), plain(definition))) return
    const changes = differences(designed)
    const shape = before.shape + (changesShape(designed, changes) ? 1 : 0)
    await addNewColumns(change, `content_c${before.no}`, designed)
    await updateComponent(trx, { ...before, definition, shape, updatedAtMs: nowMs })
  }

  async function addNewColumns(
    { trx }: ModelChange,
    table: string,
    { before, definition }: DesignedType | DesignedComponent,
  ) {
    const known = new Set((before?.definition.attributes ?? []).map(({ no }) => no))
    const added = definition.attributes.filter(({ no }) => !known.has(no))
    await addColumns(trx, dialect, table, added)
  }

  /** The table is new and empty, so nobody waits. */
  async function createAtOnce({ trx }: ModelChange, specs: readonly IndexSpec[]) {
    for (const spec of specs) await createIndex(trx, dialect, spec)
    await saveIndexes(trx, specs, 'ready')
  }
}

function plain(definition: object): unknown {
  return JSON.parse(JSON.stringify(definition))
}
