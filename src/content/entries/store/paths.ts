import { sql } from 'kysely'
import { NeedsTransaction, prepared } from '#db'
import { guardDocuments, type Registered } from './registry.ts'
import {
  among,
  gatherInChunks,
  guardNone,
  type Holding,
  inChunks,
  locksReads,
  type Trx,
} from './statements.ts'

export interface PathRow {
  readonly no: number
  readonly locale: string
  readonly path: string
}

/** Which of these paths other entries have, in the same language or in none. */
export function findTakenPaths(
  trx: Trx,
  paths: readonly string[],
  locale: string,
  exceptNos: readonly number[],
): Promise<PathRow[]> {
  const except = new Set(exceptNos)
  return gatherInChunks(paths, async (chunk) => {
    const rows = await trx
      .selectFrom('content_entries')
      .select(['no', 'locale', 'path'])
      .where('path', 'in', chunk)
      .$if(locale !== '', (query) => query.where('locale', 'in', ['', locale]))
      .execute()
    const others = rows.filter(({ no }) => !except.has(no))
    return others.flatMap(({ no, locale: own, path }) =>
      path === null ? [] : [{ no, locale: own, path }],
    )
  })
}

/** The former path leads to the entry until another entry takes it. */
export async function rememberPaths(trx: Trx, rows: readonly PathRow[]) {
  await inChunks(rows, (chunk) =>
    trx
      .insertInto('content_former_paths')
      .values(chunk.map(({ no, locale, path }) => ({ locale, path, entry_no: no })))
      .onConflict((conflict) =>
        conflict
          .columns(['path', 'locale'])
          .doUpdateSet((row) => ({ entry_no: row.ref('excluded.entry_no') })),
      )
      .execute(),
  )
}

export async function forgetPaths(
  { trx, dialect }: Pick<Holding, 'trx' | 'dialect'>,
  rows: readonly Pick<PathRow, 'locale' | 'path'>[],
) {
  for (const [locale, group] of Map.groupBy(rows, (row) => row.locale)) {
    const paths = among(
      dialect,
      group.map(({ path }) => path),
      'text',
    )
    const text = () =>
      trx
        .deleteFrom('content_former_paths')
        .where('locale', '=', locale)
        .where(paths.has(sql.ref('path')))
    const key = `forget ${paths.key} paths`
    await trx.executeQuery(prepared(trx, key, [locale, paths.bound], text))
  }
}

export interface Placed {
  readonly no: number
  readonly path: string | null
  readonly ancestorsLive: boolean
}

/** Many entries at once; paths may pass from one of them to another. */
export async function placeAll(trx: Trx, rows: readonly Placed[]) {
  await inChunks(rows, (chunk) =>
    trx
      .updateTable('content_entries')
      .set({ path: null })
      .where(
        'no',
        'in',
        chunk.map(({ no }) => no),
      )
      .execute(),
  )
  await inChunks(rows, (chunk) => {
    const values = chunk.map(
      ({ no, path, ancestorsLive }) =>
        sql`(cast(${no} as bigint), cast(${path} as text), cast(${ancestorsLive ? 1 : 0} as integer))`,
    )
    return sql`
      with placed (no, path, alive) as (values ${sql.join(values)})
      update content_entries set path = placed.path, ancestors_live = placed.alive,
        version = content_entries.version + 1
      from placed where content_entries.no = placed.no
    `.execute(trx)
  })
}

/** The document and everything above it. */
export async function findAncestors(trx: Trx, documentId: string): Promise<string[]> {
  const { rows } = await sql<{ document_id: string }>`
    with recursive above (document_id, parent, depth) as (
      select document_id, parent, 1 from content_entries where document_id = ${documentId}
      union
      select entry.document_id, entry.parent, above.depth + 1
      from content_entries as entry join above on entry.document_id = above.parent
      where above.depth < ${DEEPEST}
    )
    select distinct document_id from above
  `.execute(trx)
  return rows.map((row) => row.document_id)
}

/** Paths are shorter than this many steps. */
const DEEPEST = 1_000

/** Nobody moves them until this write ends. */
export function holdDocuments(
  held: Holding,
  documentIds: readonly string[],
): Promise<Registered[]> {
  return gatherInChunks(documentIds, async (chunk) => {
    const rows = await held.trx
      .selectFrom('content_entries')
      .selectAll()
      .where('document_id', 'in', chunk)
      .orderBy('no')
      .$if(locksReads(held), (query) => query.forShare())
      .execute()
    guardDocuments(held, chunk, rows, 'share')
    return rows
  })
}

/**
 * Locked, so that whoever adds a child below one of them waits until its path is known. How many there are is
 * not known beforehand, so with any the write is a transaction.
 */
export function lockChildren(held: Holding, parents: readonly string[]): Promise<Registered[]> {
  return gatherInChunks(parents, async (chunk) => {
    const rows = await held.trx
      .selectFrom('content_entries')
      .selectAll()
      .where('parent', 'in', chunk)
      .orderBy('no')
      .$if(locksReads(held), (query) => query.forUpdate())
      .execute()
    if (held.tx.isPlan && rows.length > 0) throw new NeedsTransaction()
    guardNone(
      held,
      `children of ${chunk.length}`,
      chunk,
      () => sql`select 1 from content_entries where parent in (${sql.join(chunk)})`,
    )
    return rows
  })
}

export async function orphan(trx: Trx, parent: string) {
  await trx
    .updateTable('content_entries')
    .set({ parent: null })
    .where('parent', '=', parent)
    .execute()
}
