import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml'
import type { Fail, YamlLimits } from './parse.ts'

export type Path = readonly (string | number)[]

interface Bounds extends YamlLimits {
  /** Of all texts together, in characters, as they are when every alias stands for what it names. */
  readonly maxText: number
}

/** A node of the document, or what stands where one is missing. */
type Given = unknown

/** The value of a document; aliases are copied out, each at the cost of what it names. */
export function toValue(contents: Given, bounds: Bounds, fail: Fail): unknown {
  const { maxDepth, maxValues, maxText } = bounds
  const anchors = new Map<string, Node>()
  /** Collections that are being read: an alias of one of them would never end. */
  const open = new Set<Node>()
  let count = 0
  let size = 0
  return read(contents, 0, 0)

  function read(node: Given, depth: number, around: number): unknown {
    const at = offsetOf(node, around)
    if (++count > maxValues)
      fail(`more than ${maxValues} values, aliases counted, are too many`, at)
    if (depth > maxDepth) fail(`nested deeper than ${maxDepth}`, at)
    if (isAlias(node)) return readAlias(node.source, depth, at)
    if (isScalar(node)) {
      if (node.anchor) anchors.set(node.anchor, node)
      return readScalar(node, at)
    }
    if (!isMap(node) && !isSeq(node)) return null
    if (node.anchor) anchors.set(node.anchor, node)
    open.add(node)
    const value = isMap(node)
      ? readMap(node, depth, at)
      : node.items.map((item) => read(item, depth + 1, at))
    open.delete(node)
    return value
  }

  function readAlias(name: string, depth: number, at: number): unknown {
    const named = anchors.get(name)
    if (!named) return fail(`there is no anchor ${name} before this alias`, at)
    if (open.has(named)) fail(`the alias ${name} is inside what it names`, at)
    return read(named, depth, at)
  }

  function readScalar({ value }: Scalar, at: number): unknown {
    if (typeof value === 'string') size += value.length
    if (size > maxText) fail('aliases stand for too much text', at)
    if (typeof value !== 'number' || Number.isFinite(value)) return value
    return fail('infinity and not-a-number are not possible', at)
  }

  function readMap({ items }: YAMLMap, depth: number, around: number): Record<string, unknown> {
    const value: Record<string, unknown> = {}
    for (const { key, value: member } of items) {
      const at = offsetOf(key, around)
      const name = nameOf(key) ?? fail('a name has to be a plain text', at)
      if (name === '__proto__') fail('__proto__ is not a name', at)
      if (name === '<<') fail('merge keys (<<) are not possible', at)
      if (Object.hasOwn(value, name)) fail(`the name ${name.slice(0, 100)} is given twice`, at)
      if (isScalar(key) && key.anchor) anchors.set(key.anchor, key)
      value[name] = read(member, depth + 1, at)
    }
    return value
  }
}

/** How far into the text the member of that path stands, or the nearest node around it. */
export function placeOf(contents: Given, path: Path): number {
  let node: Given = contents
  let at = offsetOf(node, 0)
  for (const step of path) {
    const pair: Pair | undefined = isMap(node)
      ? node.items.find(({ key }) => nameOf(key) === String(step))
      : undefined
    const next: Given = pair ? pair.value : isSeq(node) ? node.items[Number(step)] : undefined
    if (!pair && next === undefined) return at
    // Of a member its name, which is where a reader looks.
    at = offsetOf(pair ? pair.key : next, at)
    node = next
  }
  return at
}

/** Numbers and flags are names by their spelling, as in JSON. */
function nameOf(key: Given): string | undefined {
  if (!isScalar(key)) return undefined
  return typeof key.value === 'string' ? key.value : key.source
}

function offsetOf(node: Given, otherwise: number): number {
  if (!isAlias(node) && !isScalar(node) && !isMap(node) && !isSeq(node)) return otherwise
  return node.range?.[0] ?? otherwise
}
