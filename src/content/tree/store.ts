import { type Kysely, sql } from 'kysely'
import type { SqlDialect } from '#db'
import type { ContentTables } from '../tables.ts'

type Db = Kysely<ContentTables>
type Lists = Pick<SqlDialect, 'isOneOf'>

/** An entry as the registry places it. */
export interface SpotRow {
  readonly no: number
  readonly type_no: number
  readonly document_id: string
  /** Says nothing when the type is not localised. */
  readonly locale: string
  readonly parent: string | null
  readonly is_root: number
  readonly path: string | null
  readonly id: number
}

const SPOT = [
  'e.no',
  'e.type_no',
  'e.document_id',
  'e.locale',
  'e.parent',
  'e.is_root',
  'e.path',
  'e.id',
] as const

interface Visible {
  readonly liveOnly: boolean
}

/** What readers of live copies see: live itself and below live entries only. */
function isVisible({ liveOnly }: Visible) {
  return liveOnly ? sql<boolean>`e.has_live = 1 and e.ancestors_live = 1` : sql<boolean>`1 = 1`
}

/** In the order of `sortOrder`. */
export function findRoots(db: Db, visible: Visible): Promise<SpotRow[]> {
  return db
    .selectFrom('content_entries as e')
    .select(SPOT)
    .where('e.path', '=', '/')
    .where(isVisible(visible))
    .orderBy('e.sort_order')
    .orderBy('e.no')
    .execute()
}

export function findByPaths(
  db: Db,
  { isOneOf }: Lists,
  paths: readonly string[],
  visible: Visible,
): Promise<SpotRow[]> {
  return db
    .selectFrom('content_entries as e')
    .select(SPOT)
    .where(isOneOf(sql.ref('e.path'), paths, 'text'))
    .where(isVisible(visible))
    .orderBy('e.no')
    .execute()
}

/** With the path they left. */
export function findByFormerPaths(
  db: Db,
  { isOneOf }: Lists,
  paths: readonly string[],
  visible: Visible,
): Promise<(SpotRow & { readonly former: string })[]> {
  return db
    .selectFrom('content_entries as e')
    .innerJoin('content_former_paths as f', 'f.entry_no', 'e.no')
    .select([...SPOT, 'f.path as former'])
    .where(isOneOf(sql.ref('f.path'), paths, 'text'))
    .where(isVisible(visible))
    .orderBy('e.no')
    .execute()
}

/** All variants, the oldest first. */
export function findVariants(
  db: Db,
  { isOneOf }: Lists,
  documentIds: readonly string[],
  visible: Visible,
): Promise<SpotRow[]> {
  return db
    .selectFrom('content_entries as e')
    .select(SPOT)
    .where(isOneOf(sql.ref('e.document_id'), documentIds, 'text'))
    .where(isVisible(visible))
    .orderBy('e.no')
    .execute()
}

export interface AboveRow extends SpotRow {
  /** The document whose ancestors, itself included, these are, and how far up. */
  readonly start: string
  readonly depth: number
}

/** Paths are shorter than this many steps. */
const DEEPEST = 1_000

/** The documents themselves and everything above them, in all variants. */
export async function findAbove(
  db: Db,
  { isOneOf }: Lists,
  documentIds: readonly string[],
): Promise<readonly AboveRow[]> {
  const spot = sql.raw(SPOT.join(', '))
  const { rows } = await sql<AboveRow>`
    with recursive above as (
      select e.document_id as start, 0 as depth, ${spot} from content_entries as e
      where ${isOneOf(sql.ref('e.document_id'), documentIds, 'text')}
      union
      select above.start, above.depth + 1 as depth, ${spot} from above
      join content_entries as e on e.document_id = above.parent
      where above.depth < ${DEEPEST}
    )
    select * from above order by start, depth, no
  `.execute(db)
  return rows
}
