import { queryOptions } from '@tanstack/react-query'
import { api, ask } from './client.ts'

/** What a user is called; undefined for people who may not see users. */
export function personQuery(id: number | null) {
  return queryOptions({
    queryKey: ['person', id],
    queryFn: async () => {
      const path = { id: String(id) }
      const { data } = await ask(api.GET('/api/v1/users/{id}', { params: { path } }))
      return data.name ?? data.email
    },
    enabled: id !== null,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
