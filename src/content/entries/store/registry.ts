import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { SqlDialect } from '#db'
import type { ContentTables } from '../../tables.ts'
import { inChunks, type Trx } from './statements.ts'

/** The row of one language variant. */
export type Registered = Selectable<ContentTables['content_entries']>
export type NewRegistered = Omit<Insertable<ContentTables['content_entries']>, 'sort_order'>
export type RegisteredChange = Updateable<ContentTables['content_entries']>

type Locks = Pick<SqlDialect, 'rowLocks'>

/**
 * All variants of a document, locked, so that writers of one document follow each other and each
 * sees what the one before it left.
 */
export function lockDocument(trx: Trx, documentId: string, { rowLocks }: Locks) {
  return trx
    .selectFrom('content_entries')
    .selectAll()
    .where('document_id', '=', documentId)
    .orderBy('no')
    .$if(rowLocks, (query) => query.forUpdate())
    .execute()
}

/** The same, found by the id of one of its variants. */
export function lockDocumentOf(trx: Trx, typeNo: number, id: number, { rowLocks }: Locks) {
  return trx
    .selectFrom('content_entries')
    .selectAll()
    .where('document_id', '=', (one) =>
      one
        .selectFrom('content_entries as asked')
        .select('asked.document_id')
        .where('asked.type_no', '=', typeNo)
        .where('asked.id', '=', id),
    )
    .orderBy('no')
    .$if(rowLocks, (query) => query.forUpdate())
    .execute()
}

/** Of a single type: the variants of its one document. */
export function findOfType(trx: Trx, typeNo: number) {
  return trx
    .selectFrom('content_entries')
    .selectAll()
    .where('type_no', '=', typeNo)
    .orderBy('no')
    .limit(1_000)
    .execute()
}

export function findByExternalId(trx: Trx, typeNo: number, externalId: string, locale: string) {
  return trx
    .selectFrom('content_entries')
    .select(['no', 'id'])
    .where('type_no', '=', typeNo)
    .where('external_id', '=', externalId)
    .where('locale', '=', locale)
    .executeTakeFirst()
}

/** A new entry goes last among its siblings unless its place is given. */
export async function register(
  trx: Trx,
  row: NewRegistered,
  sortOrder: number | undefined,
): Promise<Registered> {
  const last = trx
    .selectFrom('content_entries')
    .select(sql<number>`coalesce(max(sort_order), 0) + 1`.as('next'))
    .where('parent', row.parent ? '=' : 'is', row.parent ?? null)
    .$if(!row.parent, (query) => query.where('type_no', '=', row.type_no))
  return trx
    .insertInto('content_entries')
    .values({ ...row, sort_order: sortOrder ?? last })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function changeRegistered(trx: Trx, nos: readonly number[], change: RegisteredChange) {
  return inChunks(nos, (chunk) =>
    trx.updateTable('content_entries').set(change).where('no', 'in', chunk).execute(),
  )
}

/** What others see of these entries has changed, though nobody wrote them. */
export function raiseVersions(trx: Trx, nos: readonly number[], updatedAtMs?: number) {
  return inChunks([...new Set(nos)], (chunk) =>
    trx
      .updateTable('content_entries')
      .set((row) => ({
        version: row('version', '+', 1),
        ...(updatedAtMs === undefined ? {} : { updated_at: updatedAtMs }),
      }))
      .where('no', 'in', chunk)
      .execute(),
  )
}

export async function unregister(trx: Trx, nos: readonly number[]) {
  await inChunks(nos, async (chunk) => {
    await trx.deleteFrom('content_former_paths').where('entry_no', 'in', chunk).execute()
    await trx.deleteFrom('content_entries').where('no', 'in', chunk).execute()
  })
}
