import { type SelectQueryBuilder, sql } from 'kysely'
import type { FoundPage, ListQuery } from './lists.ts'

/**
 * One page of a filtered query. Ties of the sort are broken by id and absent values come first, so
 * that both databases give the same order. `columns` says where each sort field is.
 */
export async function findPage<Tables, T extends keyof Tables, Row, Id extends string | number>(
  filtered: SelectQueryBuilder<Tables, T, object>,
  select: (query: SelectQueryBuilder<Tables, T, object>) => { execute(): Promise<Row[]> },
  { paging, sort, order }: Pick<ListQuery<string, Id>, 'paging' | 'sort' | 'order'>,
  columns: Readonly<Record<string, string>>,
): Promise<FoundPage<Row>> {
  const id = sql.ref<Id>(columns['id'] ?? 'id')
  if (paging.strategy === 'keyset') {
    const { afterId, beforeId, limit } = paging
    const upwards = (order === 'asc') === (beforeId === null)
    const from = afterId ?? beforeId
    const query = filtered
      .$if(from !== null, (q) =>
        q.where(sql<boolean>`${id} ${sql.raw(upwards ? '>' : '<')} ${from}`),
      )
      .orderBy(id, upwards ? 'asc' : 'desc')
      .limit(limit + 1)
    const found = await select(query).execute()
    const rows = found.slice(0, limit)
    if (beforeId !== null) rows.reverse()
    return { rows, total: null, hasMore: found.length > limit }
  }
  const { page, perPage, count } = paging
  const skipped = (page - 1) * perPage
  const column = sql.ref(columns[sort] ?? 'id')
  const query = filtered
    .orderBy(column, (by) => (order === 'asc' ? by.asc().nullsFirst() : by.desc().nullsLast()))
    .orderBy(id, order)
    .limit(perPage + 1)
    .offset(skipped)
  const found = await select(query).execute()
  const hasMore = found.length > perPage
  // The last page tells how many there are; most lists are one page.
  const isLast = !hasMore && (found.length > 0 || skipped === 0)
  const known = isLast ? skipped + found.length : undefined
  const total = count ? (known ?? (await countAll(filtered))) : null
  return { rows: found.slice(0, perPage), total, hasMore }
}

async function countAll<Tables, T extends keyof Tables>(
  filtered: SelectQueryBuilder<Tables, T, object>,
): Promise<number> {
  const { total } = await filtered
    .select(sql<number>`count(*)`.as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow()
  return total
}
