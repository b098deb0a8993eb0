import { sql } from 'kysely'
import type { SqlDialect } from '#db'
import type { Trx } from '../entries/store/statements.ts'

interface KeptRevision {
  readonly revision_id: number
  readonly saved_at: number
  readonly saved_by: number | null
  readonly events: string | null
}

/** Of an entry; undefined when it has been deleted. */
export async function findVersion(trx: Trx, no: number): Promise<number | undefined> {
  const row = await trx
    .selectFrom('content_entries')
    .select('version')
    .where('no', '=', no)
    .executeTakeFirst()
  return row?.version
}

const KEPT = ['revision_id', 'saved_at', 'saved_by', 'events'] as const

export async function findKeptRevision(
  trx: Trx,
  entryNo: number,
  revisionId: number,
): Promise<KeptRevision | undefined> {
  return trx
    .selectFrom('content_revisions')
    .select(KEPT)
    .where('entry_no', '=', entryNo)
    .where('revision_id', '=', revisionId)
    .executeTakeFirst()
}

/** The newest first. */
export async function findKept(trx: Trx, entryNo: number, limit: number): Promise<KeptRevision[]> {
  return trx
    .selectFrom('content_revisions')
    .select(KEPT)
    .where('entry_no', '=', entryNo)
    .orderBy('revision_id', 'desc')
    .limit(limit)
    .execute()
}

export async function findKeptBody(
  trx: Trx,
  entryNo: number,
  revisionId: number,
): Promise<string | undefined> {
  const row = await trx
    .selectFrom('content_revisions')
    .select('body')
    .where('entry_no', '=', entryNo)
    .where('revision_id', '=', revisionId)
    .executeTakeFirst()
  return row?.body
}

/** All variants of the documents, the oldest first. */
export async function findVariants(
  trx: Trx,
  dialect: Pick<SqlDialect, 'isOneOf'>,
  documentIds: readonly string[],
) {
  if (documentIds.length === 0) return []
  return trx
    .selectFrom('content_entries')
    .select(['id', 'type_no', 'document_id', 'locale'])
    .where(dialect.isOneOf(sql.ref('document_id'), documentIds, 'text'))
    .orderBy('no')
    .execute()
}

export async function findFiles(
  trx: Trx,
  dialect: Pick<SqlDialect, 'isOneOf'>,
  uuids: readonly string[],
) {
  if (uuids.length === 0) return []
  return trx
    .selectFrom('content_files')
    .selectAll()
    .where(dialect.isOneOf(sql.ref('uuid'), uuids, 'text'))
    .execute()
}
