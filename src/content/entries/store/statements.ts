import type { Transaction } from 'kysely'
import type { ContentTables } from '../../tables.ts'

export type Trx = Transaction<ContentTables>

/** Both databases limit how many values a statement may carry. */
const AT_ONCE = 500

/** Does the work for at most so many items at a time; never for none. */
export async function inChunks<Item>(
  items: readonly Item[],
  work: (chunk: readonly Item[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await work(items.slice(at, at + AT_ONCE))
}

/** The same for what answers with rows. */
export async function gatherInChunks<Item, Row>(
  items: readonly Item[],
  work: (chunk: readonly Item[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  await inChunks(items, async (chunk) => rows.push(...(await work(chunk))))
  return rows
}
