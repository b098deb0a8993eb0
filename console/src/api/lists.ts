import { queryOptions } from '@tanstack/react-query'
import { type Query, send } from './client.ts'

/** A page of records as `/api/v1` and `/webhooks` answer it. */
export interface ListPage<Row> {
  readonly data: readonly Row[]
  readonly meta: Readonly<Record<string, unknown>>
}

/** A list or record by its path; the path is the key, so a change can name what it makes old. */
export function pathQuery<Body>(path: string, query: Query = {}) {
  return queryOptions({
    queryKey: [path, query],
    queryFn: async ({ signal }) => (await send<Body>(path, { query, signal })).body,
  })
}

export function listQuery<Row>(path: string, query: Query = {}) {
  return pathQuery<ListPage<Row>>(path, query)
}

/** One record in its envelope. */
export function recordQuery<Row>(path: string, query: Query = {}) {
  return pathQuery<{ readonly data: Row }>(path, query)
}
