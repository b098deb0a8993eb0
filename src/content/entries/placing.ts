import { LONGEST_PATH, lastStep, pathOf, variantAbove } from './paths.ts'
import { taken } from './refusals.ts'
import { findTaken, guardFree, type NamesTaken } from './store/names.ts'
import { forgetPaths, holdDocuments, rememberPaths } from './store/paths.ts'
import type { Registered } from './store/registry.ts'
import { isShownBelow } from './tree.ts'
import { codesOf } from './unique-names.ts'
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
}

/** The slug of a variant that is not written itself. */
export function slugOfRow({ path, is_root, id }: Registered): string {
  return path === null || is_root === 1 ? String(id) : lastStep(path)
}

/** The variants of the parent: of one that is asked for anew, checked for loops. */
export async function parentsFor(
  writing: Writing,
  parent: string | null,
  documentId: string,
  isNew: boolean,
): Promise<readonly Registered[]> {
  if (parent === null) return []
  if (isNew) return writing.tree.findParent(parent, documentId)
  return holdDocuments(writing, [parent])
}

export function spotOf({ type, model }: Writing, asked: Omit<Asked, 'no'>): Spot {
  const above = asked.isRoot
    ? undefined
    : variantAbove(asked.parents, asked.locale, model.defaultLocale)
  return {
    path: pathOf({ type, isRoot: asked.isRoot, above, slug: asked.slug }),
    ancestorsLive: isShownBelow(above, asked.locale),
  }
}

/** Refuses a path that another entry has, or that no database can index. */
export function refusePath(
  { type }: Writing,
  { path }: Spot,
  isRoot: boolean,
  { paths }: Pick<NamesTaken, 'paths'>,
) {
  const name = isRoot ? 'isRoot' : (type.slugField ?? 'path')
  if (path.length > LONGEST_PATH) throw taken([name], 'makes a path that is too long')
  if (!paths.has(path)) return
  throw taken(
    [name],
    isRoot ? 'is already set on another entry' : `leads to ${path}, which is taken`,
  )
}

/** The place of an entry that exists, if nobody else has it. */
export async function claimPath(writing: Writing, { no, ...asked }: Asked, documentId: string) {
  const { type, model } = writing
  const { locale, isRoot } = asked
  const spot = spotOf(writing, asked)
  const whose = { documentId, locale, locales: codesOf(model), entryNo: no }
  const names = { values: [], paths: [spot.path] }
  refusePath(writing, spot, isRoot, await findTaken(writing, type, names, whose))
  guardFree(writing, type, names, whose)
  return spot
}

export async function movePath(writing: Writing, was: Registered, path: string) {
  const { no, locale } = was
  if (was.path !== null) await rememberPaths(writing.trx, [{ no, locale, path: was.path }])
  await forgetPaths(writing, [{ locale, path }])
}
