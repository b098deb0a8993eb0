import { useQuery } from '@tanstack/react-query'
import { personQuery } from '../api/people.ts'

/** What a user is called, or the number for those who may not see users. */
export function Person({ id }: { id: number }) {
  const { data } = useQuery(personQuery(id))
  return data ?? `user ${id}`
}
