import type { ContentModel } from '#content'
import type { KnownUser } from '../deps.ts'
import { fold } from './matching.ts'

type Members = Pick<ContentModel, 'defaultLocale'>

/** What paths may name of an account (contract §1). */
export const USER_MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'display_name',
  'drupal_internal__uid',
  'langcode',
])

export function memberOf(
  user: KnownUser,
  member: string,
  { defaultLocale }: Members,
): string | number {
  switch (member) {
    case 'id':
      return user.uuid
    case 'drupal_internal__uid':
      return user.id
    case 'langcode':
      return defaultLocale
    default:
      return displayName(user)
  }
}

/** Never the address: that is for the user and for administrators. */
export function displayName({ name, id }: Pick<KnownUser, 'name' | 'id'>): string {
  return name ?? `User ${id}`
}

/** The numbers of all accounts in the order of a member, those that are equal in it together. */
export function rankUsers(
  users: readonly KnownUser[],
  member: string,
  model: Members,
): readonly (readonly number[])[] {
  const groups = new Map<string | number, number[]>()
  for (const user of users) {
    const value = memberOf(user, member, model)
    const known = groups.get(value)
    if (known) known.push(user.id)
    else groups.set(value, [user.id])
  }
  return [...groups].sort(([one], [other]) => compare(one, other)).map(([, ids]) => ids)
}

/** As the store sorts (content model §10.2): text by the code points of its fold, then by its own. */
function compare(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return compareBytes(fold(one), fold(other)) || compareBytes(String(one), String(other))
}

/** Bytes of UTF-8 compare as code points do. */
function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
