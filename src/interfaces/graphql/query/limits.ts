import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { refused } from '../errors.ts'

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
  readonly depth: number
  /** Fields at any depth and spreads, counted with repetition. */
  readonly size: number
  /** Fields of the outermost selection, counted with repetition. */
  readonly width: number
  /** What it would show as part of introspection, by the usual length of the lists there. */
  readonly shown: number
  /** The same of the introspection that is inside of it. */
  readonly introspected: number
}

const NOTHING: Extent = { depth: 0, size: 0, width: 0, shown: 0, introspected: 0 }

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

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

export function fragmentsIn({ definitions }: DocumentNode): Fragments {
  const found = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(found.map((fragment) => [fragment.name.value, fragment]))
}

/**
 * Refuses what is too deep or too wide, by the text alone. Each fragment is measured once, however often
 * it is spread: the work is as long as the document, not as what it spreads to. Answers whether fragments
 * run in circles, which validation refuses in its own words.
 */
export function checkExtent(
  document: DocumentNode,
  fragments: Fragments,
  { maxDepth, maxAliases, maxTokens }: Limits,
): 'circular' | 'measured' {
  const known = new Map<string, Extent | 'open'>()
  let isCircular = false
  let size = 0
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const extent = measureOperation(definition)
    if (isCircular) return 'circular'
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
  return 'measured'

  function measureOperation({ selectionSet }: OperationDefinitionNode): Extent {
    return measure(selectionSet)
  }

  function measure({ selections }: SelectionSetNode): Extent {
    let all = NOTHING
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) all = beside(all, measureField(selection))
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        all = beside(all, measure(selection.selectionSet))
      } else all = beside(all, measureFragment(selection.name.value))
    }
    return all
  }

  /** Introspection is as deep as its types are, whatever the limit is (contract §3). */
  function measureField(field: {
    name: { value: string }
    selectionSet?: SelectionSetNode | undefined
  }): Extent {
    const name = field.name.value
    const inner = field.selectionSet ? measure(field.selectionSet) : NOTHING
    const weight = INTROSPECTION.get(name)
    return {
      depth: weight === undefined ? inner.depth + 1 : 1,
      size: inner.size + 1,
      width: 1,
      shown: (USUAL_LENGTH.get(name) ?? 1) * (inner.shown + 1),
      introspected: weight === undefined ? inner.introspected : weight * inner.shown,
    }
  }

  function measureFragment(name: string): Extent {
    const found = known.get(name)
    if (found === 'open') {
      isCircular = true
      return NOTHING
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

function beside(one: Extent, other: Extent): Extent {
  return {
    depth: Math.max(one.depth, other.depth),
    size: one.size + other.size,
    width: one.width + other.width,
    shown: one.shown + other.shown,
    introspected: one.introspected + other.introspected,
  }
}
