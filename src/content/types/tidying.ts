import type { Kysely } from 'kysely'
import type { ContentTables } from '../tables.ts'
import type { StoredType } from './definition.ts'

type Db = Kysely<ContentTables>

/**
 * What is left to do in a values or parts table after a change of its type: bring documents to the
 * present shape and erase what belonged to removed attributes. Kept beside the wishes for indexes,
 * so that a process that dies leaves it to the next.
 */
export interface Tidying {
  readonly table: `content_v${number}` | `content_c${number}`
  /** Columns whose values are erased. */
  readonly columns: readonly string[]
  /** Attributes whose links, tags and components are erased. */
  readonly attributeNos: readonly number[]
  /** The type as it was, which is gone: its entries and tables follow. */
  readonly drop?: StoredType
}

const TIDY = 'tidy'

function tidyingName(table: string): string {
  return `${table}_${TIDY}`
}

/** Adds to what is noted for the table already. */
export async function noteTidying(db: Db, tidying: Tidying): Promise<void> {
  const name = tidyingName(tidying.table)
  const noted = await findTidying(db, tidying.table)
  const whole: Tidying = {
    ...tidying,
    columns: [...new Set([...(noted?.columns ?? []), ...tidying.columns])],
    attributeNos: [...new Set([...(noted?.attributeNos ?? []), ...tidying.attributeNos])],
  }
  const row = {
    definition: render(whole),
    state: 'wanted',
  }
  await db
    .insertInto('content_indexes')
    .values({ name, table_name: tidying.table, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}

export async function findTidying(
  db: Db,
  table: string,
  { lock = false } = {},
): Promise<Tidying | undefined> {
  const row = await db
    .selectFrom('content_indexes')
    .select('definition')
    .where('name', '=', tidyingName(table))
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  return row && parseTidying(row.definition)
}

/** Nothing is left to do; false when more was noted since `tidying` was read. */
export async function forgetTidying(db: Db, tidying: Tidying): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('content_indexes')
    .where('name', '=', tidyingName(tidying.table))
    .where('definition', '=', render(tidying))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Members in one order, because the text is compared. */
function render({ table, columns, attributeNos, drop }: Tidying): string {
  const tidy = { table, columns, attributeNos, ...(drop ? { drop } : {}) }
  return JSON.stringify({ tidy })
}

/** Undefined when the row wishes for an index. */
export function parseTidying(definition: string): Tidying | undefined {
  const parsed: { tidy?: Tidying } = JSON.parse(definition)
  return parsed.tidy
}
