import { type Kysely, sql } from 'kysely'
import type { Database } from '#db'
import type { ContentModel, ContentType } from '../model.ts'
import type { ContentTables } from '../tables.ts'

interface Deps {
  readonly db: Pick<Database, 'main' | 'dialect'>
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
  readonly asked: string
  readonly type_no: number
  readonly document_id: string
  readonly locale: string
  readonly path: string | null
}

/** Entries of every type and language at a path; only when there are none, those that left it. */
export function createFindPath({ db, model }: Deps) {
  const reader: Kysely<ContentTables> = db.main.reader
  return { findPath: async (path: string) => (await findPaths([path])).get(path) ?? [], findPaths }

  /** Of many paths at once; those that nothing has or had are left out. */
  async function findPaths(
    paths: readonly string[],
  ): Promise<ReadonlyMap<string, readonly FoundPath[]>> {
    const present = paths.length > 0 ? await findPresent(paths) : []
    const taken = new Set(present.map(({ asked }) => asked))
    const left = paths.filter((path) => !taken.has(path))
    const former = left.length > 0 ? await findFormer(left) : []
    const found = [
      ...present.flatMap((row) => toFound(row, false)),
      ...former.flatMap((row) => toFound(row, true)),
    ]
    const byPath = Map.groupBy(found, ([asked]) => asked)
    return new Map([...byPath].map(([path, entries]) => [path, entries.map(([, entry]) => entry)]))
  }

  function findPresent(paths: readonly string[]): Promise<Row[]> {
    return reader
      .selectFrom('content_entries as e')
      .select(['e.path as asked', 'e.type_no', 'e.document_id', 'e.locale', 'e.path'])
      .where(db.dialect.isOneOf(sql.ref('e.path'), paths, 'text'))
      .where('e.path', 'is not', null)
      .$narrowType<{ asked: string }>()
      .orderBy('e.no')
      .execute()
  }

  function findFormer(paths: readonly string[]): Promise<Row[]> {
    return reader
      .selectFrom('content_former_paths as f')
      .innerJoin('content_entries as e', 'e.no', 'f.entry_no')
      .select(['f.path as asked', 'e.type_no', 'e.document_id', 'e.locale', 'e.path'])
      .where(db.dialect.isOneOf(sql.ref('f.path'), paths, 'text'))
      .orderBy('e.no')
      .execute()
  }

  function toFound(row: Row, isFormer: boolean): (readonly [string, FoundPath])[] {
    const type = model().typeByNo(row.type_no)
    if (!type || row.path === null) return []
    const { document_id: documentId, path } = row
    const locale = type.localized ? row.locale : null
    return [[row.asked, { type, documentId, locale, path, isFormer }]]
  }
}
