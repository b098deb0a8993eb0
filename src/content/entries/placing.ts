import type { ContentType } from '../model.ts'
import type { Body } from './body.ts'
import { LONGEST_PATH, lastStep, pathOf, variantAbove } from './paths.ts'
import { LostRace, taken } from './refusals.ts'
import { findTakenPaths, forgetPaths, holdDocuments, rememberPaths } from './store/paths.ts'
import type { Registered } from './store/registry.ts'
import { isShownBelow } from './tree.ts'
import type { Writing } from './writing.ts'

/** Where an entry stands or is to stand in the tree. */
export interface Spot {
  readonly path: string
  readonly ancestorsLive: boolean
}

interface Asked {
  readonly no: number | null
  readonly locale: string
  readonly isRoot: boolean
  readonly slug: string
  /** The variants of the parent, none without one. */
  readonly parents: readonly Registered[]
  /** The slug was found free a moment ago. */
  readonly isMade?: boolean
}

/** The slug of an entry is the value of its first uid, else its id (content model §6). */
export function slugIn(type: ContentType, body: Body, id: number): string {
  const attribute = type.slugField === null ? undefined : type.attribute.get(type.slugField)
  const value = attribute && body.values.get(attribute.no)
  return typeof value === 'string' && value !== '' ? value : String(id)
}

/** The slug of a variant that is not written itself. */
export function slugOfRow({ path, is_root, id }: Registered): string {
  return path === null || is_root === 1 ? String(id) : lastStep(path)
}

/** The variants of the parent: of one that is asked for anew, checked for loops. */
export async function parentsFor(
  { trx, tree, dialect }: Writing,
  parent: string | null,
  documentId: string,
  isNew: boolean,
): Promise<readonly Registered[]> {
  if (parent === null) return []
  if (isNew) return tree.findParent(trx, parent, documentId)
  return holdDocuments(trx, [parent], dialect)
}

export function spotOf({ type, model }: Writing, asked: Omit<Asked, 'no'>): Spot {
  const above = asked.isRoot
    ? undefined
    : variantAbove(asked.parents, asked.locale, model.defaultLocale)
  return {
    path: pathOf({ type, isRoot: asked.isRoot, above, slug: asked.slug }),
    ancestorsLive: isShownBelow(above),
  }
}

/** Refuses a path that another entry has; a path somebody once had passes to whoever takes it. */
export async function claimPath(writing: Writing, { no, isMade, ...asked }: Asked) {
  const { locale, isRoot } = asked
  const spot = spotOf(writing, asked)
  const { type, trx } = writing
  const name = isRoot ? 'isRoot' : (type.slugField ?? 'path')
  if (spot.path.length > LONGEST_PATH) throw taken([name], 'makes a path that is too long')
  const others = await findTakenPaths(trx, [spot.path], locale, no === null ? [] : [no])
  if (others.length === 0) return spot
  const reason = isRoot
    ? 'is already set on another entry'
    : `leads to ${spot.path}, which is taken`
  const refusal = taken([name], reason)
  throw isMade && !isRoot ? new LostRace(refusal) : refusal
}

export async function movePath(writing: Writing, was: Registered, path: string) {
  const { no, locale } = was
  if (was.path !== null) await rememberPaths(writing.trx, [{ no, locale, path: was.path }])
  await forgetPaths(writing.trx, [{ locale, path }])
}
