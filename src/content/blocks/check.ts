import { isObject } from '#kernel'
import type { JsonObject, JsonValue } from '../json.ts'

/** What is wrong with a node, and where it stands below the value. */
export interface BlockFault {
  readonly at: readonly (string | number)[]
  readonly message: string
}

interface NodeRule {
  /** Types of nodes that may lie in it; null: none, it has no `children`. */
  readonly children: readonly string[] | null
  readonly required?: Readonly<Record<string, Check>>
  readonly optional?: Readonly<Record<string, Check>>
}

/** Completes a sentence after the name of the member; undefined when all is well. */
type Check = (value: unknown) => string | undefined

const DEEPEST = 20
const INLINE = ['text', 'link']
const BLOCKS = ['paragraph', 'heading', 'list', 'quote', 'code', 'image']
/** Whoever renders a link as HTML must not run a script by it. */
const RUNS_SCRIPT = /^[\s\p{Cc}]*(javascript|vbscript)\s*:/iu

const isText: Check = (value) => (typeof value === 'string' ? undefined : 'must be a text')
const isFlag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be a boolean')
const isLevel: Check = (value) =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 6
    ? undefined
    : 'must be a whole number from 1 to 6'
const isOrder: Check = (value) =>
  value === 'ordered' || value === 'unordered' ? undefined : 'must be ordered or unordered'
const isAddress: Check = (value) => {
  if (typeof value !== 'string' || value === '') return 'must be an address'
  return RUNS_SCRIPT.test(value) ? 'is an address that cannot be used' : undefined
}
const isImage: Check = (value) => {
  if (!isObject(value)) return 'must be an object with the url of a picture'
  const fault = isAddress(value.url)
  return fault && `must have a url: it ${fault}`
}

/** Other members of a node are kept as they are: editors add their own. */
const NODES: ReadonlyMap<string, NodeRule> = new Map([
  ['paragraph', { children: INLINE }],
  ['heading', { children: INLINE, required: { level: isLevel } }],
  ['quote', { children: INLINE }],
  ['code', { children: INLINE, optional: { language: isText } }],
  ['list', { children: ['list-item', 'list'], required: { format: isOrder } }],
  ['list-item', { children: INLINE }],
  ['image', { children: ['text'], required: { image: isImage } }],
  ['link', { children: ['text'], required: { url: isAddress } }],
  [
    'text',
    {
      children: null,
      required: { text: isText },
      optional: Object.fromEntries(
        ['bold', 'italic', 'underline', 'strikethrough', 'code'].map((mark) => [mark, isFlag]),
      ),
    },
  ],
])

/** The first fault of rich text in the form of nodes; undefined when every node is one that we know. */
export function checkBlocks(value: JsonValue): BlockFault | undefined {
  if (!Array.isArray(value)) return { at: [], message: 'must be a list of nodes' }
  return checkList(value, BLOCKS, [])
}

function checkList(
  list: readonly JsonValue[],
  allowed: readonly string[],
  at: BlockFault['at'],
): BlockFault | undefined {
  for (const [index, node] of list.entries()) {
    const fault = checkNode(node, allowed, [...at, index])
    if (fault) return fault
  }
  return undefined
}

function checkNode(
  node: JsonValue,
  allowed: readonly string[],
  at: BlockFault['at'],
): BlockFault | undefined {
  if (!isObject(node)) return { at, message: 'must be a node' }
  const { type } = node
  const rule = typeof type === 'string' && allowed.includes(type) ? NODES.get(type) : undefined
  if (!rule) {
    return { at: [...at, 'type'], message: `must be one of ${allowed.join(', ')} here` }
  }
  if (at.length > 2 * DEEPEST) return { at, message: `lies deeper than ${DEEPEST} nodes` }
  const fault = checkMembers(node, rule, at)
  if (fault || rule.children === null) return fault
  const { children } = node
  const inside = [...at, 'children']
  if (!Array.isArray(children)) return { at: inside, message: 'must be a list of nodes' }
  return checkList(children, rule.children, inside)
}

function checkMembers(
  node: Readonly<Record<string, unknown>>,
  { required = {}, optional = {} }: NodeRule,
  at: BlockFault['at'],
): BlockFault | undefined {
  for (const [name, check] of Object.entries(required)) {
    const message = check(node[name])
    if (message !== undefined) return { at: [...at, name], message }
  }
  for (const [name, check] of Object.entries(optional)) {
    const value = node[name]
    const message = value === undefined || value === null ? undefined : check(value)
    if (message !== undefined) return { at: [...at, name], message }
  }
  return undefined
}

/** Nodes of a value that has been checked. */
export function nodesIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((node): node is JsonObject => isObject(node)) : []
}
