import { fold } from '#content-dialect'
import type { ContentModel } from '#content-model'
import { compareBytes } from '#kernel'
import type { KnownUser } from '../deps.ts'

type Members = Pick<ContentModel, 'defaultLocale'>

/** What paths may name of an account (contract §1). */
export function membersOf(user: KnownUser, { defaultLocale }: Members) {
  return {
    id: user.uuid,
    display_name: displayName(user),
    drupal_internal__uid: user.id,
    langcode: defaultLocale,
  }
}

export const USER_MEMBERS = ['id', 'display_name', 'drupal_internal__uid', 'langcode'] as const
export type UserMember = (typeof USER_MEMBERS)[number]

export function memberOf(user: KnownUser, member: UserMember, model: Members): string | number {
  return membersOf(user, model)[member]
}

/** Never the address: that is for the user and for administrators. */
export function displayName({ name, id }: Pick<KnownUser, 'name' | 'id'>): string {
  return name ?? `User ${id}`
}

/** The numbers of all accounts in the order of a member, those that are equal in it together. */
export function rankUsers(
  users: readonly KnownUser[],
  member: UserMember,
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
  return (
    compareBytes(fold(String(one)), fold(String(other))) || compareBytes(String(one), String(other))
  )
}
