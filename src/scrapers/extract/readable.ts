/**
 * How much of a document can be read: parsers take the square of its depth, and a node for every tag and
 * every attribute.
 */
import { findTooManyAttributes } from './attributes.ts'

interface Kind {
  /** Each tag may become a node, and some hundred thousand nodes are what a thread can hold. */
  readonly maxTags: number
  /** Elements that have no end. */
  readonly bare: ReadonlySet<string>
  /** Elements that end others by their beginning. */
  readonly ends: ReadonlyMap<string, ReadonlySet<string>>
  /** Elements in which a slash at the end of a tag means something; undefined: everywhere. */
  readonly foreign: readonly string[] | undefined
}

const CELLS = new Set(['td', 'th'])
const TERMS = new Set(['dt', 'dd'])

export const HTML: Kind = {
  maxTags: 300_000,
  bare: new Set(
    'area base br col embed frame hr img input link meta param source track wbr'.split(' '),
  ),
  ends: new Map([
    ...['p', 'li', 'option'].map((name) => [name, new Set([name])] as const),
    ...['td', 'th'].map((name) => [name, CELLS] as const),
    ...['dt', 'dd'].map((name) => [name, TERMS] as const),
    ['tr', new Set(['td', 'th', 'tr'])],
  ]),
  foreign: ['svg', 'math'],
}

/** The largest sitemaps have more tags than any page. */
export const XML: Kind = {
  maxTags: 1_000_000,
  bare: new Set(),
  ends: new Map(),
  foreign: undefined,
}

/** Far more than browsers nest, so that what is only never closed is read all the same. */
const MAX_OPEN = 10_000
/** Twice as many as the largest pages and sitemaps have; a million fill the memory of a thread. */
const MAX_ATTRIBUTES = 200_000
/** Of one attribute, with what separates it from the next. */
const MIN_ATTRIBUTE = 2
const TAG = /<(\/?)([a-z][^\s/<>]*)([^<>]*)/gi

/** What the log says of a document whose end was left out. */
export const CUT =
  'The page has too many tags or attributes, or too many tags inside each other; its end was not read'

/** The document as far as it can be read; the whole of nearly every one. */
export function readablePart(text: string, kind: Kind): string {
  let tags = 0
  let at = text.indexOf('<')
  for (; tags < kind.maxTags && at !== -1; tags++) at = text.indexOf('<', at + 1)
  const part = upTo(text, at)
  const shallow = tags <= MAX_OPEN ? part : upTo(part, findTooDeep(part, kind))
  if (shallow.length < MAX_ATTRIBUTES * MIN_ATTRIBUTE) return shallow
  return upTo(shallow, findTooManyAttributes(shallow, MAX_ATTRIBUTES, kind === XML))
}

function upTo(text: string, end: number): string {
  return end === -1 ? text : text.slice(0, end)
}

/** Where more elements are open than can be; -1: nowhere. */
function findTooDeep(text: string, { bare, ends, foreign }: Kind): number {
  const open: string[] = []
  const counts = new Map<string, number>()
  for (const { 1: slash, 2: given = '', 3: rest = '', index } of text.matchAll(TAG)) {
    const name = given.toLowerCase()
    if (slash) close(name)
    else if (!bare.has(name) && !(rest.endsWith('/') && mayEndItself())) begin(name)
    if (open.length > MAX_OPEN) return index
  }
  return -1

  function mayEndItself(): boolean {
    return foreign?.some(isOpen) ?? true
  }

  function isOpen(name: string): boolean {
    return (counts.get(name) ?? 0) > 0
  }

  function begin(name: string): void {
    const ended = ends.get(name)
    while (ended?.has(open.at(-1) ?? '')) pop()
    open.push(name)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }

  function close(name: string): void {
    if (!isOpen(name)) return
    while (pop() !== name);
  }

  function pop(): string | undefined {
    const name = open.pop()
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) - 1)
    return name
  }
}
