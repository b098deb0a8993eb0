import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { refused, refusedAt } from '../errors.ts'

/** Contract §3; all of them are settings. */
export interface Limits {
  readonly maxTokens: number
  readonly maxDepth: number
  readonly maxHops: number
  readonly maxAliases: number
  readonly maxCost: number
}

/** What a selection is when all its fragments are spread. */
interface Extent {
  depth: number
  /** Fields at any depth and spreads, counted with repetition. */
  size: number
  /** Fields of the outermost selection, counted with repetition. */
  width: number
  /** What it would show as part of introspection, by the usual length of the lists there. */
  shown: number
  /** Lists of fields and types one below the other, of which introspection has no end. */
  lists: number
  /** The same as `shown` of the introspection that is inside of it. */
  introspected: number
}

const NOTHING: Readonly<Extent> = {
  depth: 0,
  size: 0,
  width: 0,
  shown: 0,
  lists: 0,
  introspected: 0,
}

/**
 * Characters and lines of a document: strings, numbers and empty lines of any length are one token or none,
 * but they are read character by character. Long values are sent as variables.
 */
const MOST_CHARACTERS = 100_000
const MOST_LINES = 10_000
/** Brackets within each other: the parser goes as deep as the text is nested, and each level costs. */
const MOST_NESTED = 1_200
const BLOCK = '"""'

/** Weighed, because they begin with types that may have a field for each content type. */
const INTROSPECTION: ReadonlyMap<string, number> = new Map([
  ['__schema', 1],
  ['__type', 10],
])
const USUAL_LENGTH: ReadonlyMap<string, number> = new Map([
  ['types', 100],
  ['fields', 10],
  ['inputFields', 10],
  ['possibleTypes', 10],
  ['directives', 3],
  ['enumValues', 3],
  ['args', 3],
])
/** The language answers introspection in one turn. What tools ask for is less than half of this. */
const MOST_INTROSPECTED = 500_000
const NESTED_LISTS = new Set(['fields', 'inputFields', 'interfaces', 'possibleTypes'])
const MOST_NESTED_LISTS = 2

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

export function fragmentsIn({ definitions }: DocumentNode): Fragments {
  const found = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(found.map((fragment) => [fragment.name.value, fragment]))
}

/** Refuses a text before it is parsed. */
export function checkText(text: string): void {
  const advice = 'send long values as variables'
  if (text.length > MOST_CHARACTERS) {
    const message = `The document has ${text.length} characters, the limit is ${MOST_CHARACTERS}; ${advice}`
    throw refused('GRAPHQL_PARSE_FAILED', message)
  }
  const lines = linesIn(text)
  if (lines > MOST_LINES) {
    const message = `The document has ${lines} lines, the limit is ${MOST_LINES}; ${advice}`
    throw refused('GRAPHQL_PARSE_FAILED', message)
  }
  if (nestingIn(text) > MOST_NESTED) {
    throw refused('QUERY_TOO_DEEP', 'The document is nested too deeply')
  }
}

/** By their numbers: a text of characters would be made of each. */
const CODE = {
  ...{ quote: 0x22, hash: 0x23, parenthesis: 0x28, closingParenthesis: 0x29 },
  ...{ bracket: 0x5b, closingBracket: 0x5d, brace: 0x7b, closingBrace: 0x7d },
} as const

/** Brackets in strings and comments mean nothing. */
function nestingIn(text: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case CODE.parenthesis:
      case CODE.bracket:
      case CODE.brace:
        deepest = Math.max(deepest, ++depth)
        break
      case CODE.closingParenthesis:
      case CODE.closingBracket:
      case CODE.closingBrace:
        depth--
        break
      case CODE.hash:
        at = endOfLine(text, at)
        break
      case CODE.quote:
        at = endOfString(text, at)
    }
  }
  return deepest
}

function endOfLine(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}

/** Where the string that begins there has its last quote; one that does not end goes to the end of its line or of the text. */
function endOfString(text: string, from: number): number {
  if (!text.startsWith(BLOCK, from)) {
    let at = from + 1
    for (; at < text.length && text[at] !== '"'; at++) {
      if (text[at] === '\\') at++
      else if (text[at] === '\n' || text[at] === '\r') return at
    }
    return at
  }
  let end = text.indexOf(BLOCK, from + BLOCK.length)
  while (end > 0 && text[end - 1] === '\\') end = text.indexOf(BLOCK, end + BLOCK.length)
  return end < 0 ? text.length : end + BLOCK.length - 1
}

function linesIn(text: string): number {
  let lines = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) lines++
  }
  return lines
}

/**
 * Refuses what is too deep or too wide, and fragments in circles, by the text alone. Each fragment is measured
 * once, however often it is spread: the work is as long as the document, not as what it spreads to.
 */
export function checkExtent(
  document: DocumentNode,
  fragments: Fragments,
  { maxDepth, maxAliases, maxTokens }: Limits,
): void {
  const known = new Map<string, Readonly<Extent> | 'open'>()
  let size = 0
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const extent = measure(definition.selectionSet)
    if (extent.depth > maxDepth) {
      throw refused(
        'QUERY_TOO_DEEP',
        `The query is ${extent.depth} levels deep, the limit is ${maxDepth}`,
      )
    }
    if (extent.width > maxAliases) {
      const message = `The query has ${extent.width} root fields, the limit is ${maxAliases}`
      throw refused('QUERY_TOO_COMPLEX', message)
    }
    if (extent.introspected > MOST_INTROSPECTED) {
      const message = 'The query asks for too much introspection; ask for less of it at once'
      throw refused('QUERY_TOO_COMPLEX', message)
    }
    size += extent.size
  }
  if (size > maxTokens) {
    const message = `The query has ${size} fields and fragments when these are spread, the limit is ${maxTokens}`
    throw refused('QUERY_TOO_COMPLEX', message)
  }

  function measure({ selections }: SelectionSetNode): Readonly<Extent> {
    const all = { ...NOTHING }
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) addField(all, selection)
      else if (selection.kind === Kind.INLINE_FRAGMENT) add(all, measure(selection.selectionSet))
      else add(all, measureFragment(selection))
    }
    return all
  }

  /** Introspection is as deep as its types are, whatever the limit is (contract §3). */
  function addField(to: Extent, { name: { value: name }, selectionSet }: FieldNode): void {
    to.width++
    to.size++
    to.depth = Math.max(to.depth, 1)
    const isList = NESTED_LISTS.has(name)
    const weight = INTROSPECTION.get(name)
    const length = USUAL_LENGTH.get(name) ?? 1
    const inner = selectionSet ? measure(selectionSet) : NOTHING
    to.size += inner.size
    to.shown += length * (inner.shown + 1)
    to.lists = Math.max(to.lists, inner.lists + (isList ? 1 : 0))
    if (weight === undefined) {
      to.depth = Math.max(to.depth, inner.depth + 1)
      to.introspected += inner.introspected
    } else to.introspected += inner.lists > MOST_NESTED_LISTS ? Infinity : weight * inner.shown
  }

  function measureFragment(spread: FragmentSpreadNode): Readonly<Extent> {
    const name = spread.name.value
    const found = known.get(name)
    if (found === 'open') {
      throw refusedAt([{ message: `Fragment "${name}" is spread within itself.`, nodes: [spread] }])
    }
    if (found) return found
    const fragment = fragments.get(name)
    if (!fragment) return NOTHING
    known.set(name, 'open')
    const inner = measure(fragment.selectionSet)
    const extent = { ...inner, size: inner.size + 1 }
    known.set(name, extent)
    return extent
  }
}

/** What stands beside it is deep by itself; everything else is summed up. */
function add(to: Extent, other: Readonly<Extent>): void {
  to.depth = Math.max(to.depth, other.depth)
  to.size += other.size
  to.width += other.width
  to.shown += other.shown
  to.lists = Math.max(to.lists, other.lists)
  to.introspected += other.introspected
}
