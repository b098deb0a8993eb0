import type { Kysely } from 'kysely'
import type { Database } from '#kernel'
import type { ContentModel, ContentType } from '../model.ts'
import type { ContentTables } from '../tables.ts'

interface Deps {
  readonly db: Pick<Database, 'main'>
  model(): ContentModel
}

/** An entry by a path; whether a caller may see it has still to be asked. */
export interface FoundPath {
  readonly type: ContentType
  readonly documentId: string
  /** Null when the type is not localised. */
  readonly locale: string | null
  /** Where the entry is now. */
  readonly path: string
  /** The path asked for is one it had before. */
  readonly isFormer: boolean
}

interface Row {
  readonly type_no: number
  readonly document_id: string
  readonly locale: string
  readonly path: string | null
}

/** Entries of every type and language at a path; only when there are none, those that left it. */
export function createFindPath({ db, model }: Deps) {
  const reader: Kysely<ContentTables> = db.main.reader
  return findPath

  async function findPath(path: string): Promise<readonly FoundPath[]> {
    const present = await reader
      .selectFrom('content_entries')
      .select(['type_no', 'document_id', 'locale', 'path'])
      .where('path', '=', path)
      .orderBy('no')
      .execute()
    if (present.length > 0) return present.flatMap((row) => toFound(row, false))
    const former = await reader
      .selectFrom('content_former_paths as f')
      .innerJoin('content_entries as e', 'e.no', 'f.entry_no')
      .select(['e.type_no', 'e.document_id', 'e.locale', 'e.path'])
      .where('f.path', '=', path)
      .orderBy('e.no')
      .execute()
    return former.flatMap((row) => toFound(row, true))
  }

  function toFound(row: Row, isFormer: boolean): FoundPath[] {
    const type = model().typeByNo(row.type_no)
    if (!type || row.path === null) return []
    const { document_id: documentId, path } = row
    return [{ type, documentId, locale: row.locale === '' ? null : row.locale, path, isFormer }]
  }
}
