import type { Kysely } from 'kysely'
import type { Database } from '#db'
import { columnOf } from '../fields/kind.ts'
import type { ContentModel, ContentType } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { findOpenIndexes } from './index-store.ts'

interface Deps {
  readonly db: Pick<Database, 'main'>
  model(): ContentModel
}

interface IndexedField {
  readonly type: ContentType
  readonly attribute: string
}

/**
 * Tells whether the worker has built what these attributes are searched by. Attributes too long for
 * an index are always scanned and wait for nothing.
 */
export function createIndexed({ db, model }: Deps) {
  const reader: Kysely<ContentTables> = db.main.reader
  let known = { revision: -1, columns: new Set<string>() }
  return isIndexed

  /** Once built an index stays while the model does, so it is asked for only until then. */
  async function isIndexed(fields: readonly IndexedField[]): Promise<boolean> {
    const { revision } = model()
    if (known.revision !== revision) known = { revision, columns: new Set() }
    const { columns: built } = known
    const asked = fields.flatMap(toColumn).filter((column) => !built.has(column))
    if (asked.length === 0) return true
    const open = await openColumns()
    for (const column of asked) if (!open.has(column)) built.add(column)
    return asked.every((column) => !open.has(column))
  }

  async function openColumns(): Promise<ReadonlySet<string>> {
    const wishes = await findOpenIndexes(reader)
    const wanted = wishes.filter(({ state }) => state === 'wanted')
    return new Set(
      wanted.flatMap(({ spec }) => spec.columns.map((column) => `${spec.table}.${column}`)),
    )
  }
}

function toColumn({ type, attribute }: IndexedField): readonly string[] {
  const found = type.attribute.get(attribute)
  return found ? [`${type.table}.${columnOf(found)}`] : []
}
