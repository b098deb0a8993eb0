import { refused } from '../errors.ts'
import { type Arguments, argumentsOf, type Variables } from './arguments.ts'
import type { Limits } from './limits.ts'
import { pageSizeOf } from './paging.ts'
import type { Picked } from './picked.ts'

interface Cost {
  /** The number of entries that an operation could show (contract §3). */
  readonly cost: number
  /** What it could show of them and of pages, each alias for itself. */
  readonly values: number
}

/**
 * What an operation could show: a list counts its page size for itself and for each item with what is
 * below it, whatever leads to one thing counts one. Nothing is read for it.
 */
export function costOf(roots: readonly Picked[], variables: Variables): Cost {
  let values = 0
  const cost = sum(roots, 1)
  return { cost, values }

  /** `times`: how often the answer could show it. */
  function sum(picked: readonly Picked[], times: number): number {
    let all = 0
    for (const each of picked) all += costOfField(each, times)
    return all
  }

  function costOfField(picked: Picked, times: number): number {
    const { meaning } = picked
    switch (meaning?.of) {
      case 'list':
      case 'locales':
        return costOfList(picked, sizeOf(picked), times)
      case 'step':
        if (!meaning.many) return 1 + sum(picked.of(), times)
        return costOfList(picked, meaning.most ?? sizeOf(picked), times)
      case 'node':
        return 1 + Math.max(0, ...kindsOf(picked).map((kind) => sum(kind, times)))
      case 'one':
      case 'single':
      case 'change':
      case 'fileChange':
        return 1 + sum(picked.of(), times)
      case 'self':
      case 'items':
      case 'edges':
        return sum(picked.of(), times)
      default:
        values += times
        return 0
    }
  }

  function costOfList(picked: Picked, size: number, times: number): number {
    return size * (1 + sum(picked.of(), times * size))
  }

  /** Arguments that are refused are refused when the field is read. */
  function sizeOf(picked: Picked): number {
    return pageSizeOf(safely(() => argumentsOf(picked, variables)) ?? {})
  }
}

function safely(read: () => Arguments): Arguments | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** What may be picked of a node, whose type is not known before it is read. */
function kindsOf({ kinds, of }: Picked): readonly (readonly Picked[])[] {
  return kinds.map((name) => of(name))
}

/** Steps through relations, media and components from an entry of the root. */
export function checkHops(roots: readonly Picked[], { maxHops }: Limits): void {
  const hops = Math.max(0, ...roots.map((root) => hopsIn(root, kindsOrOwn(root))))
  if (hops <= maxHops) return
  const message = `The query goes through ${hops} relations, the limit is ${maxHops}`
  throw refused('QUERY_TOO_DEEP', message)
}

function hopsIn({ meaning }: Picked, inner: readonly Picked[]): number {
  let most = 0
  for (const each of inner) most = Math.max(most, hopsIn(each, each.of()))
  return meaning?.of === 'step' ? most + 1 : most
}

function kindsOrOwn(picked: Picked): readonly Picked[] {
  return picked.meaning?.of === 'node' ? kindsOf(picked).flat() : picked.of()
}
