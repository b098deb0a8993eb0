import { isObject } from '#kernel'
import type { Finding } from './administration.ts'
import type { Entry } from './read-file.ts'

type Lists = ReadonlyMap<string, readonly Entry[]>

/** What findings say of something that is not known here, rather than wrong. */
const UNKNOWN = /^unknown plugin \[|^is not (known|supported here)$|^unsupported resource type/

/** Without the kinds and objects of these names; which names were met is noted in `met`. */
export function withoutKinds(lists: Lists, names: ReadonlySet<string>, met: Set<string>): Lists {
  const kept = new Map<string, Entry[]>()
  for (const [list, entries] of lists) {
    if (isMet(list)) continue
    kept.set(
      list,
      entries.filter((entry) => !isMet(`${list}/${idOf(entry.value)}`)),
    )
  }
  return kept

  function isMet(name: string): boolean {
    if (names.has(name)) met.add(name)
    return names.has(name)
  }
}

/** Without the member that a finding is about, when one on its path is among the names; else undefined. */
export function withoutMember(
  lists: Lists,
  { list, index, path }: Finding,
  names: ReadonlySet<string>,
  met: Set<string>,
): Lists | undefined {
  // A plugin, or the member itself; what only leads there has names that other things have too.
  const depth = path.findIndex(
    (name, at) => names.has(name) && (at === path.length - 1 || path[at - 1] === 'plugins'),
  )
  const entries = lists.get(list)
  const entry = entries?.[index]
  if (depth === -1 || !entries || !entry) return undefined
  const value = without(entry.value, path.slice(0, depth + 1))
  if (value === undefined) return undefined
  met.add(path[depth] ?? '')
  return new Map(lists).set(list, entries.with(index, { ...entry, value }))
}

/** By which name it could be left out; undefined for what is wrong and has to be mended. */
export function nameToLeaveOut({ list, path, message }: Finding): string | undefined {
  if (!UNKNOWN.test(message)) return undefined
  return path.at(-1) ?? list
}

export function idOf(value: unknown): string {
  if (!isObject(value)) return ''
  return String(value['id'] ?? value['username'] ?? '')
}

/** Undefined when there is no such member. */
function without(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  if (Array.isArray(value)) {
    if (rest.length === 0) return value.toSpliced(Number(name), 1)
    const item = without(value[Number(name)], rest)
    return item === undefined ? undefined : value.with(Number(name), item)
  }
  const { [name]: member, ...others }: Record<string, unknown> = { ...value }
  if (rest.length === 0) return others
  const kept = without(member, rest)
  return kept === undefined ? undefined : { ...value, [name]: kept }
}
