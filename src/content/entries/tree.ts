import { conflict, DomainError } from '#kernel'
import type { ContentModel } from '../model.ts'
import { LONGEST_PATH, lastStep, pathOf, variantAbove } from './paths.ts'
import {
  findAncestors,
  findTakenPaths,
  forgetPaths,
  holdDocuments,
  lockChildren,
  orphan,
  type Placed,
  placeAll,
  rememberPaths,
} from './store/paths.ts'
import type { Registered } from './store/registry.ts'
import { type Holding, locksReads } from './store/statements.ts'
import type { ChangedEntry } from './tell-others.ts'

/** Content model §6: above it a move is refused. */
const MOST_MOVED = 10_000

interface Deps {
  readonly held: Holding
  readonly model: ContentModel
  /** Entries of this type have changed. */
  touch(typeNo: number): void
  noteChanged(entries: readonly ChangedEntry[]): void
}

interface Moved extends Placed {
  readonly was: Registered
}

/** The tree of documents: every write that moves one moves what is below it. */
export function createTree({ held, model, touch, noteChanged }: Deps) {
  const { trx } = held
  return { findParent, refreshBelow, release }

  /** The variants of a parent, held in their place; refuses what is not there or makes a loop. */
  async function findParent(parent: string, child: string): Promise<Registered[]> {
    let above = await findAncestors(trx, parent)
    const rows = await holdDocuments(held, above)
    if (locksReads(held)) above = await findAncestors(trx, parent)
    if (above.length === 0) throw badParent('does not exist')
    if (above.includes(child)) throw badParent('lies below this entry')
    return rows.filter((row) => row.document_id === parent)
  }

  /** Brings paths and flags of everything below these documents up to date, level by level. */
  async function refreshBelow(tops: readonly Registered[]) {
    let level = Map.groupBy(tops, (row) => row.document_id)
    const moved: Moved[] = []
    while (level.size > 0) {
      const children = await lockChildren(held, [...level.keys()])
      const placed = children.map((child) => place(child, level.get(child.parent ?? '') ?? []))
      const changed = placed.filter(isChanged)
      moved.push(...changed)
      if (countMoves(moved) > MOST_MOVED) throw tooMany()
      const documents = new Set(changed.map(({ was }) => was.document_id))
      const next = placed.filter(({ was }) => documents.has(was.document_id)).map(asRegistered)
      level = Map.groupBy(next, (row) => row.document_id)
    }
    await write(moved)
  }

  /** Children of a document that is gone hang directly under their collections. */
  async function release(documentId: string) {
    const children = await lockChildren(held, [documentId])
    if (children.length === 0) return
    await orphan(trx, documentId)
    const placed = children.map((child) => place({ ...child, parent: null }, []))
    const free = await withoutTaken(placed)
    await write(free.filter(isChanged))
    await refreshBelow(free.map(asRegistered))
  }

  function place(child: Registered, parents: readonly Registered[]): Moved {
    const above = variantAbove(parents, child.locale, model.defaultLocale)
    const type = model.typeByNo(child.type_no)
    const isRoot = child.is_root === 1
    const slug = child.path === null || isRoot ? String(child.id) : lastStep(child.path)
    return {
      was: child,
      no: child.no,
      path: type ? pathOf({ type, isRoot, above, slug }) : child.path,
      ancestorsLive: isRoot || isShownBelow(above, child.locale),
    }
  }

  async function write(moved: readonly Moved[]) {
    if (moved.length === 0) return
    await refuseTaken(moved)
    await rememberPaths(
      trx,
      moved.filter(isMoved).flatMap(({ was }) => toPathRow(was, was.path)),
    )
    await placeAll(trx, moved)
    for (const { was } of moved) touch(was.type_no)
    noteChanged(moved.map((each) => ({ entry: asMoved(each), live: each.was.has_live === 1 })))
    await forgetPaths(
      held,
      moved.filter(isMoved).flatMap(({ was, path }) => toPathRow(was, path)),
    )
  }

  async function refuseTaken(moved: readonly Moved[]) {
    const tooLong = moved.find(({ path }) => (path?.length ?? 0) > LONGEST_PATH)
    if (tooLong) throw pathRefused('would make a path that is too long')
    const [taken] = await findTaken(moved.filter(isMoved))
    if (taken) throw pathRefused(`would give another entry the path ${taken.path}, which is taken`)
  }

  async function findTaken(moved: readonly Moved[]) {
    const nos = moved.map(({ no }) => no)
    const groups = Map.groupBy(moved, ({ was }) => was.locale)
    const found = []
    for (const [locale, group] of groups) {
      const paths = group.flatMap(({ path }) => path ?? [])
      found.push(...(await findTakenPaths(trx, paths, locale, nos)))
    }
    return found
  }

  /** A removal is not refused because of a clash; the entry then has no path. */
  async function withoutTaken(placed: readonly Moved[]): Promise<Moved[]> {
    const taken = new Set((await findTaken(placed)).map(({ path }) => path))
    const own = Map.groupBy(placed, ({ was, path }) => `${was.locale} ${path}`)
    return placed.map((each) => {
      const isFirst = own.get(`${each.was.locale} ${each.path}`)?.[0] === each
      return taken.has(each.path ?? '') || !isFirst ? { ...each, path: null } : each
    })
  }
}

export type Tree = ReturnType<typeof createTree>

/**
 * Whether readers of live copies see what hangs below this variant in a language: nobody finds the way to a
 * translation below a document that lacks it (content delivery, changes after 0.1).
 */
export function isShownBelow(above: Registered | undefined, locale: string): boolean {
  if (!above) return true
  const isSpoken = locale === '' || above.locale === '' || above.locale === locale
  return isSpoken && above.has_live === 1 && above.ancestors_live === 1
}

function isMoved({ was, path }: Moved): boolean {
  return was.path !== path
}

function isChanged(moved: Moved): boolean {
  return isMoved(moved) || (moved.was.ancestors_live === 1) !== moved.ancestorsLive
}

function countMoves(moved: readonly Moved[]): number {
  return moved.filter(isMoved).length
}

function asRegistered({ was, path, ancestorsLive }: Moved): Registered {
  return { ...was, path, ancestors_live: ancestorsLive ? 1 : 0 }
}

/** `placeAll` raises versions. */
function asMoved(moved: Moved): Registered {
  return { ...asRegistered(moved), version: moved.was.version + 1 }
}

function toPathRow({ no, locale }: Registered, path: string | null) {
  return path === null ? [] : [{ no, locale, path }]
}

function badParent(reason: string): DomainError {
  const message = `parent ${reason}`
  return new DomainError('unprocessable', 'invalid_reference', message, {
    issues: [{ path: ['parent'], rule: 'invalid_reference', message }],
  })
}

function pathRefused(reason: string): DomainError {
  return conflict('conflict', `The change ${reason}`)
}

function tooMany(): DomainError {
  return new DomainError(
    'unprocessable',
    'too_many_descendants',
    `More than ${MOST_MOVED} entries would move with this one`,
  )
}
