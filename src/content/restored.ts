/** After the rows of a content store came from elsewhere: makes what is made of them. */
import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { ContentTables } from './tables.ts'
import { buildIndex, findReadyIndexes } from './types/index-store.ts'

/**
 * The indexes that types have, at once: unique ones guard what is written from now on. The search index is built by
 * the worker after the next start, as that of a store which is older than the index.
 */
export async function completeContent({ main, dialect }: Database): Promise<void> {
  const writer: Kysely<ContentTables> = main.writer
  for (const spec of await findReadyIndexes(writer)) await buildIndex(writer, dialect, spec)
  const known = writer.selectFrom('content_search_types').select('type_no')
  await writer
    .insertInto('content_search_types')
    .columns(['type_no', 'source', 'indexed_to', 'ready'])
    .expression((from) =>
      from
        .selectFrom('content_types')
        .select(({ lit, val }) => [
          'no',
          val('').as('source'),
          lit(0).as('indexed_to'),
          lit(0).as('ready'),
        ])
        .where('no', 'not in', known),
    )
    .execute()
}
