import type { EntryStatus } from '#content'
import type { CopyState } from '#content-query'
import { badParameter } from '#paging'
import type { Context } from './context.ts'

export interface StatusChoice {
  readonly state: CopyState
  /** Undefined: whatever has a copy in that state. */
  readonly status?: EntryStatus
}

const STATUSES = ['published', 'draft', 'changed', 'all'] as const

/** Only types with draft and publish have it as a parameter; others may have such an attribute. */
export function parseStatus({ type, parameters }: Context): StatusChoice {
  if (!type.draftAndPublish) return { state: 'live' }
  const given = parameters.text('status')
  if (given === undefined) return { state: 'live' }
  const status = STATUSES.find((known) => known === given)
  if (status === undefined) throw badParameter('status', `must be one of ${STATUSES.join(', ')}`)
  if (status === 'published') return { state: 'live' }
  return status === 'all' ? { state: 'working' } : { state: 'working', status }
}
