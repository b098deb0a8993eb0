import { type QueryTitle, queryFault } from '../errors.ts'
import type { Parameter } from './parameters.ts'

/** Which properties `expand` or `fields` names, and which of what lies below them. */
export interface Selection {
  /** Of all properties that are not named. */
  readonly every: Selection | undefined
  /** By name in lower case. */
  readonly named: ReadonlyMap<string, Selection>
  /** Named without brackets: nothing is said of what lies below. */
  readonly isLeaf: boolean
}

const LEAF: Selection = { every: undefined, named: new Map(), isLeaf: true }

/** Contract §6.6: levels of properties. */
const MAX_LEVELS = 8
/** A level has two brackets: `properties[a[` … */
const MAX_BRACKETS = 2 * MAX_LEVELS
const WORDS = /[^[\],]*/y

interface Node {
  readonly word: string
  readonly below: readonly Node[] | undefined
}

/** Undefined when the property is not selected. */
export function select(selection: Selection, name: string): Selection | undefined {
  return selection.named.get(name.toLowerCase()) ?? selection.every
}

/** Undefined when the parameter is absent or empty. */
export function parseSelection(
  parameters: readonly Parameter[],
  title: Extract<QueryTitle, 'Expand not valid' | 'Fields not valid'>,
): Selection | undefined {
  if (parameters.length === 0) return undefined
  return toSelection(parameters.flatMap((parameter) => parseNodes(parameter, title)))
}

function parseNodes(from: Parameter, title: QueryTitle): readonly Node[] {
  const { value: text } = from
  let at = 0
  const nodes = parseList(0)
  if (at < text.length) throw queryFault(title, from, at, 'This bracket closes nothing')
  return nodes

  function parseList(depth: number): readonly Node[] {
    const found: Node[] = []
    for (;;) {
      found.push(parseNode(depth))
      if (text[at] !== ',') return found
      at++
    }
  }

  function parseNode(depth: number): Node {
    WORDS.lastIndex = at
    const word = (WORDS.exec(text)?.[0] ?? '').trim()
    const start = at
    at = WORDS.lastIndex
    if (text[at] !== '[') return { word, below: undefined }
    if (word === '') throw queryFault(title, from, at, 'A name is expected before this bracket')
    return { word, below: parseBelow(start, depth + 1) }
  }

  function parseBelow(start: number, depth: number): readonly Node[] {
    const opened = at
    if (depth > MAX_BRACKETS) {
      throw queryFault(title, from, start, `Properties are selected ${MAX_LEVELS} levels deep`)
    }
    at++
    if (text[at] === ']') throw queryFault(title, from, opened, 'These brackets are empty')
    const below = parseList(depth)
    if (text[at] !== ']') throw queryFault(title, from, opened, 'This bracket is never closed')
    at++
    const next = text[at]
    if (next !== undefined && next !== ',' && next !== ']') {
      throw queryFault(title, from, at, 'Only a comma or a bracket may follow a closing bracket')
    }
    return below
  }
}

/** Words that mean nothing select nothing. */
function toSelection(nodes: readonly Node[]): Selection {
  const named = new Map<string, Selection>()
  let every: Selection | undefined
  let isOldForm = false
  for (const { word, below } of nodes) {
    if (isOldForm && !below) named.set(word.toLowerCase(), LEAF)
    else if (word.startsWith('property:')) {
      isOldForm = true
      named.set(word.slice('property:'.length).trim().toLowerCase(), LEAF)
    } else if (!below && (word === 'all' || word === '$all')) every = LEAF
    else if (word === 'properties' && below) every = addNames(named, below) ?? every
  }
  return { every, named, isLeaf: false }
}

/** What `$all` says, when it is among them. */
function addNames(named: Map<string, Selection>, nodes: readonly Node[]): Selection | undefined {
  let every: Selection | undefined
  for (const { word, below } of nodes) {
    const inner = below ? toSelection(below) : LEAF
    if (word === '$all') every = inner
    else if (word !== '') named.set(word.toLowerCase(), inner)
  }
  return every
}
