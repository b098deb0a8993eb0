import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, ask } from './client.ts'
import { ApiError } from './errors.ts'
import { queryClient } from './query-client.ts'

export type Level = 'read' | 'write' | 'admin'

export const LEVELS: readonly Level[] = ['read', 'write', 'admin']

export interface Session {
  readonly id: number
  readonly email: string
  readonly name: string | null
  readonly access: Level
}

/** Who is signed in; null when nobody is. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: loadSession,
  staleTime: Number.POSITIVE_INFINITY,
})

async function loadSession(): Promise<Session | null> {
  try {
    const { data } = await ask(api.GET('/api/v1/me'))
    const { user, access } = data
    return { id: user.id, email: user.email, name: user.name, access: access as Level }
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}

/** The level may be another one by now. A session that has ended is renewed elsewhere: the screen must not go with it. */
export async function refreshLevel(): Promise<void> {
  const session = await loadSession().catch(() => null)
  if (session) queryClient.setQueryData(sessionQuery.queryKey, session)
}

/** Inside the shell somebody is signed in. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery)
  if (!data) throw new Error('Nobody is signed in')
  return data
}

/** Mirrors what the API enforces: what may not be done is not shown. */
export function may(session: Session, needed: Level): boolean {
  return LEVELS.indexOf(session.access) >= LEVELS.indexOf(needed)
}

export async function signIn(email: string, password: string): Promise<void> {
  await api.POST('/api/v1/sign-in', { body: { email, password } })
}

/** Also when the session was ended elsewhere. */
export async function signOut(): Promise<void> {
  try {
    await api.DELETE('/api/v1/sign-in')
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error
  }
  location.assign('/')
}
