// What a read said there and says here, without what must differ: each exception is a row of docs/guides/from-strapi.md.
type Json = Readonly<Record<string, unknown>>

/** Numbers of rows; the languages of an entry, which `populate=*` shows there and not here. */
const ALWAYS = new Set(['id', 'localizations'])
/** A relation that may lead to anything, a user of a plugin: listed before the import. */
const LEFT_OUT = new Set(['about', 'account'])
const RENAMED = new Map([
  ['path', 'field_path'],
  ['status', 'field_status'],
])
const OF_FILES = ['name', 'alternativeText', 'caption', 'ext', 'width', 'height'] as const
/** The order of a relation's far end is the one of the default language here. */
const FAR_END = 'articles'
const TRANSLATION = 'de'
/** Of the entry that was asked for, below `data`. */
const ENTRY = 1

export interface Comparing {
  /** The id here by the one there; undefined: it is the answer from here already. */
  readonly ids: ReadonlyMap<string, string> | undefined
  /** Whether the entry that was asked for has a time of publication on both sides. */
  readonly hasTime: boolean
}

export function comparable(value: unknown, how: Comparing, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((each) => comparable(each, how, depth))
  if (!isObject(value)) return value
  if ('mime' in value)
    return Object.fromEntries(OF_FILES.map((name) => [name, value[name] ?? null]))
  const kept = Object.entries(value).filter(([name]) => {
    if (ALWAYS.has(name) || LEFT_OUT.has(name)) return false
    // Types without drafts show a time there.
    return name !== 'publishedAt' || (how.hasTime && depth === ENTRY)
  })
  return Object.fromEntries(
    kept.map(([name, inner]) => {
      if (name === 'documentId') return [name, how.ids?.get(String(inner)) ?? inner]
      const related = Array.isArray(inner) ? oneLanguage(inner, value['locale']) : inner
      const as = how.ids ? (RENAMED.get(name) ?? name) : name
      const told = comparable(related, how, depth + 1)
      const isFar = value['locale'] === TRANSLATION && name === FAR_END
      return [as, isFar && Array.isArray(told) ? told.toSorted(byDocument) : told]
    }),
  )
}

/**
 * There an entry without language lists every variant of what it leads to, here one; here what has no translation is
 * shown in the default language, there it is left out.
 */
function oneLanguage(list: readonly unknown[], locale: unknown): readonly unknown[] {
  const seen = new Set<unknown>()
  return list.filter((each) => {
    if (!isObject(each) || !('documentId' in each) || 'mime' in each) return true
    const isOther = typeof locale === 'string' && 'locale' in each && each['locale'] !== locale
    if (isOther || seen.has(each['documentId'])) return false
    seen.add(each['documentId'])
    return true
  })
}

function byDocument(one: Json, other: Json): number {
  return String(one['documentId']) < String(other['documentId']) ? -1 : 1
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

const MOST = 5

/** The first places where two answers differ, which a report of all of them would hide. */
export function firstDifferences(shown: unknown, expected: unknown, at = ''): string[] {
  const isList = Array.isArray(shown) && Array.isArray(expected)
  if (!isList && !(isObject(shown) && isObject(expected))) {
    const [one, other] = [shown, expected].map((each) => JSON.stringify(each)?.slice(0, 200))
    return one === other ? [] : [`${at}: ${one} instead of ${other}`]
  }
  const names = new Set([...Object.keys(shown), ...Object.keys(expected)])
  const found: string[] = []
  for (const name of names) {
    if (found.length >= MOST) break
    const [one, other] = [shown, expected].map((each) => Reflect.get(each, name))
    found.push(...firstDifferences(one, other, `${at}/${name}`))
  }
  return found.slice(0, MOST)
}
