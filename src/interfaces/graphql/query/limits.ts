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
}

const NOTHING: Extent = { depth: 0, size: 0, width: 0 }
const INTROSPECTION = new Set(['__schema', '__type'])

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

  function measureField(field: {
    name: { value: string }
    selectionSet?: SelectionSetNode | undefined
  }) {
    const isExempt = INTROSPECTION.has(field.name.value)
    const inner = field.selectionSet && !isExempt ? measure(field.selectionSet) : NOTHING
    return { depth: inner.depth + 1, size: inner.size + 1, width: 1 }
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
  }
}
