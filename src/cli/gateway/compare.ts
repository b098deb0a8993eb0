import { isObject } from '#kernel'
import { idOf } from './leave-out.ts'

export interface Difference {
  readonly created: readonly string[]
  readonly changed: readonly string[]
  readonly unchanged: readonly string[]
  readonly removed: readonly string[]
}

const MASK = '******'
const NOT_COMPARED = ['id', 'create_time', 'update_time', 'createdIndex', 'modifiedIndex']
/** Private keys, which the server never shows: with another key there is another certificate. */
const HIDDEN = ['key', 'keys']

/** What is stored beside what would be, object by object, such as `routes/7`. */
export function compare(
  stored: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): Difference {
  const before = byName(stored)
  const after = byName(wanted)
  const names = [...after.keys()].sort()
  const isChanged = (name: string) => !isSame(after.get(name), before.get(name))
  const kept = names.filter((name) => before.has(name))
  return {
    created: names.filter((name) => !before.has(name)),
    changed: kept.filter(isChanged),
    unchanged: kept.filter((name) => !isChanged(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)).sort(),
  }
}

function byName(lists: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const all = new Map<string, unknown>()
  for (const [list, items] of Object.entries(lists)) {
    if (!Array.isArray(items)) continue
    for (const item of items) {
      const id = idOf(item)
      // Credentials stand among the consumers, or in a list of their own.
      const kind = list === 'consumers' && id.includes('/credentials/') ? 'credentials' : list
      const name = kind === 'consumers' && isObject(item) ? String(item['username']) : id
      const skipped = kind === 'ssls' ? [...NOT_COMPARED, ...HIDDEN] : NOT_COMPARED
      all.set(`${kind}/${name}`, isObject(item) ? omit(item, skipped) : item)
    }
  }
  return all
}

function omit(value: Readonly<Record<string, unknown>>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** What is masked stays as it is stored. */
function isSame(wanted: unknown, stored: unknown): boolean {
  if (wanted === MASK) return stored !== undefined
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(stored) &&
      wanted.length === stored.length &&
      wanted.every((item, at) => isSame(item, stored[at]))
    )
  }
  if (!isObject(wanted)) return wanted === stored
  if (!isObject(stored)) return false
  const names = Object.keys(wanted)
  return (
    names.length === Object.keys(stored).length &&
    names.every((name) => Object.hasOwn(stored, name) && isSame(wanted[name], stored[name]))
  )
}
