import { badParameter } from '#paging'
import type { Context } from './context.ts'
import { attributeMembers, systemMembers } from './members.ts'

/** The members to return, null for all of them; `id` comes always. */
export function parseFields({ type, version, parameters }: Context): ReadonlySet<string> | null {
  const names = parameters.words('fields')
  if (names === undefined || names.length === 0) return null
  const known = new Set([...systemMembers(type, version), ...attributeMembers(type)])
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined) {
    throw badParameter(
      'fields',
      `names ${unknown.slice(0, 200)}, which is no member of this record`,
    )
  }
  return new Set([...names, 'id'])
}
