import { encodeTarget } from './encode-target.ts'
import { normalisePath } from './normalise.ts'
import type { Entry, Routable } from './router.ts'

/** A parsed `uri`. The rank orders equal priorities: exact, then parameters, then longest prefix. */
export interface PathPattern {
  readonly uri: string
  readonly kind: 'exact' | 'parameters' | 'prefix'
  readonly rank: number
  /** The exact path or the prefix. */
  readonly text: string
  readonly segments: readonly Segment[]
}

interface Segment {
  readonly kind: 'text' | 'one' | 'rest'
  /** All of the segment, or what the rest begins with. */
  readonly text: string
  /** Of the capture; empty when there is none. */
  readonly name: string
}

interface Branch<R extends Routable> {
  readonly texts: Map<string, Branch<R>>
  one: Branch<R> | undefined
  readonly ends: Entry<R>[]
  /** By what the rest of the path begins with. */
  readonly rests: Map<string, Entry<R>[]>
}

const EXACT_RANK = 2_000_000
const PARAMETERS_RANK = 1_000_000

export function parsePattern(uri: string): PathPattern {
  // Paths come normalised: in any other form the pattern would never match one.
  const path = normalisePath(encodeTarget(uri)) ?? uri
  const parts = path.slice(1).split('/')
  const hasParameters = parts.some((part, index) => isParameter(part, index === parts.length - 1))
  if (hasParameters) {
    const segments = parts.map((part, index) => toSegment(part, index === parts.length - 1))
    return { uri, kind: 'parameters', rank: PARAMETERS_RANK + rankOf(segments), text: '', segments }
  }
  if (path.endsWith('*')) {
    const text = path.slice(0, -1)
    return { uri, kind: 'prefix', rank: text.length, text, segments: [] }
  }
  return { uri, kind: 'exact', rank: EXACT_RANK, text: path, segments: [] }
}

/** The more texts the more specific; among equals the one that ends, then the longer beginning of a rest. */
function rankOf(segments: readonly Segment[]): number {
  const texts = segments.filter(({ kind }) => kind === 'text').length
  const last = segments.at(-1)
  return last?.kind === 'rest' ? texts - 0.5 + last.text.length / 10_000 : texts
}

/** The captures of a path that the pattern matches. */
export function captureParameters(pattern: PathPattern, path: string): ReadonlyMap<string, string> {
  const parts = path.slice(1).split('/')
  const captured = new Map<string, string>()
  for (const [index, { kind, name }] of pattern.segments.entries()) {
    if (name === '') continue
    captured.set(name, kind === 'one' ? (parts[index] ?? '') : parts.slice(index).join('/'))
  }
  return captured
}

/** The entries of one host, found by path. */
export function createPathIndex<R extends Routable>(compare: (a: Entry<R>, b: Entry<R>) => number) {
  const exact = new Map<string, Entry<R>[]>()
  const prefixes = new Map<string, Entry<R>[]>()
  /** How many prefixes have each length, longest first. */
  let lengths: number[] = []
  const lengthCounts = new Map<number, number>()
  const root = createBranch<R>()
  let size = 0
  return { add, remove, collect, isEmpty: () => size === 0 }

  function add(entry: Entry<R>) {
    size++
    const list = listFor(entry.pattern)
    list.push(entry)
    list.sort(compare)
    if (entry.pattern.kind === 'prefix') countLength(entry.pattern.text.length, 1)
  }

  function remove(route: R, pattern: PathPattern) {
    const list = listFor(pattern)
    const at = list.findIndex((entry) => entry.route === route && entry.pattern.uri === pattern.uri)
    if (at !== -1) {
      size--
      list.splice(at, 1)
      if (pattern.kind === 'prefix') countLength(pattern.text.length, -1)
    }
    if (list.length === 0) forget(pattern)
  }

  function forget({ kind, text, segments }: PathPattern) {
    if (kind === 'exact') exact.delete(text)
    else if (kind === 'prefix') prefixes.delete(text)
    else prune(root, segments, 0)
  }

  function listFor({ kind, text, segments }: PathPattern): Entry<R>[] {
    if (kind === 'parameters') return branchFor(segments)
    const map = kind === 'exact' ? exact : prefixes
    const list = map.get(text) ?? []
    map.set(text, list)
    return list
  }

  function branchFor(segments: readonly Segment[]): Entry<R>[] {
    let branch = root
    for (const { kind, text } of segments) {
      if (kind === 'rest') return restsBelow(branch, text)
      branch = kind === 'one' ? oneBelow(branch) : textBelow(branch, text)
    }
    return branch.ends
  }

  function countLength(length: number, amount: number) {
    const count = (lengthCounts.get(length) ?? 0) + amount
    if (count === 0) lengthCounts.delete(length)
    else lengthCounts.set(length, count)
    lengths = [...lengthCounts.keys()].sort((a, b) => b - a)
  }

  function collect(path: string, lists: Entry<R>[][]) {
    const same = exact.get(path)
    if (same) lists.push(same)
    if (root.texts.size > 0 || root.one || root.rests.size > 0) {
      collectBranch(root, path, 1, lists)
    }
    for (const length of lengths) {
      if (length > path.length) continue
      const found = prefixes.get(length === path.length ? path : path.slice(0, length))
      if (found) lists.push(found)
    }
  }
}

export type PathIndex<R extends Routable> = ReturnType<typeof createPathIndex<R>>

function collectBranch<R extends Routable>(
  branch: Branch<R>,
  path: string,
  start: number,
  lists: Entry<R>[][],
) {
  for (const [text, entries] of branch.rests) {
    if (path.startsWith(text, start)) lists.push(entries)
  }
  const slash = path.indexOf('/', start)
  const segment = slash === -1 ? path.slice(start) : path.slice(start, slash)
  const texts = branch.texts.get(segment)
  const one = segment === '' ? undefined : branch.one
  for (const next of [texts, one]) {
    if (!next) continue
    if (slash !== -1) collectBranch(next, path, slash + 1, lists)
    else if (next.ends.length > 0) lists.push(next.ends)
  }
}

/** True when nothing is left below the branch. */
function prune<R extends Routable>(
  branch: Branch<R>,
  segments: readonly Segment[],
  at: number,
): boolean {
  const segment = segments[at]
  if (segment?.kind === 'rest') branch.rests.delete(segment.text)
  else if (segment) {
    const next = segment.kind === 'one' ? branch.one : branch.texts.get(segment.text)
    if (next && prune(next, segments, at + 1)) {
      if (segment.kind === 'one') branch.one = undefined
      else branch.texts.delete(segment.text)
    }
  }
  const { texts, one, ends, rests } = branch
  return texts.size === 0 && !one && ends.length === 0 && rests.size === 0
}

function createBranch<R extends Routable>(): Branch<R> {
  return { texts: new Map(), one: undefined, ends: [], rests: new Map() }
}

function oneBelow<R extends Routable>(branch: Branch<R>): Branch<R> {
  branch.one ??= createBranch()
  return branch.one
}

function textBelow<R extends Routable>(branch: Branch<R>, text: string): Branch<R> {
  const next = branch.texts.get(text) ?? createBranch<R>()
  branch.texts.set(text, next)
  return next
}

function restsBelow<R extends Routable>({ rests }: Branch<R>, text: string): Entry<R>[] {
  const list = rests.get(text) ?? []
  rests.set(text, list)
  return list
}

function isParameter(part: string, isLast: boolean): boolean {
  return (
    (part.length > 1 && part.startsWith(':')) || (isLast && part.length > 1 && part.startsWith('*'))
  )
}

function toSegment(part: string, isLast: boolean): Segment {
  if (isParameter(part, isLast)) {
    return { kind: part.startsWith(':') ? 'one' : 'rest', text: '', name: part.slice(1) }
  }
  // Contract §4.1: what a trailing star follows is a prefix, whatever stands before.
  return isLast && part.endsWith('*')
    ? { kind: 'rest', text: part.slice(0, -1), name: '' }
    : { kind: 'text', text: part, name: '' }
}
