import type { Entry } from '#content'
import type { ContentType } from '#content-model'
import type { FoundPath } from '#content-query'
import { isObject } from '#kernel'

/** What `path` may say besides the alias follows from the entry and is not read. */
const MEMBERS = ['alias', 'pid', 'langcode']
const SLUG = /^[A-Za-z0-9\-_.~]+$/

interface Deps {
  readonly type: ContentType
  /** What is changed; undefined for a new entry. */
  readonly current: Entry | undefined
  /** The language that is written. */
  readonly locale: string
  findPath(path: string): Promise<readonly FoundPath[]>
}

/** Where an alias puts an entry. */
interface Place {
  readonly slug: string
  /** Undefined: where it is already, or at the top of its collection. */
  readonly parent?: string | null
}

interface PathFault {
  readonly at: readonly string[]
  readonly message: string
}

/**
 * `path.alias` (contract, changes after 0.1): its last step is the slug, what stands before it the entry that
 * this one hangs below. Undefined when it asks for nothing, also because everything is there already.
 */
export async function readPath(deps: Deps, value: unknown): Promise<Place | PathFault | undefined> {
  if (value === null || value === undefined) return undefined
  if (!isObject(value)) return fault([], 'path must be an object with alias')
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name))
  if (unknown !== undefined) return fault([unknown], `path has no member ${unknown.slice(0, 100)}`)
  const { alias } = value
  const now = deps.current?.path ?? null
  if (alias === undefined || alias === now) return undefined
  if (alias === null) {
    return now === null ? undefined : fault(['alias'], 'The path of an entry cannot be taken away')
  }
  if (typeof alias !== 'string' || !alias.startsWith('/')) {
    return fault(['alias'], 'alias must be a path that starts with /')
  }
  const path = alias.replace(/\/+$/, '')
  if (path.toLowerCase() === now) return undefined
  return place(deps, path)
}

async function place(
  { type, current, locale, findPath }: Deps,
  path: string,
): Promise<Place | PathFault> {
  const at = ['alias']
  if (type.slugField === null || type.kind === 'singleType') {
    return fault(at, `The path of ${type.displayName} follows from its type and cannot be set`)
  }
  if (current?.isRoot) return fault(at, 'This is a start item: its path is /')
  const end = path.lastIndexOf('/')
  const above = path.slice(0, end).toLowerCase()
  const slug = path.slice(end + 1)
  if (!SLUG.test(slug)) {
    const taken = 'letters A to Z, digits and the characters - _ . ~'
    return fault(at, `The last step of alias may contain only ${taken}`)
  }
  const own = current?.path
  if (own && above === own.slice(0, own.lastIndexOf('/'))) return { slug }
  if (above === `/${type.pluralName}`) return { slug, parent: null }
  const found = await findPath(above === '' ? '/' : above)
  const parent = found.find((each) => each.locale === locale || each.locale === null) ?? found[0]
  if (parent && !parent.isFormer) return { slug, parent: parent.documentId }
  const message = `There is nothing at ${above || '/'} to stand below; /${type.pluralName}/ is always there`
  return fault(at, message)
}

function fault(at: readonly string[], message: string): PathFault {
  return { at, message }
}
