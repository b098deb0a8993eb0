import type { Filter } from '#content'

/**
 * Lists are mostly asked with other values than before and are otherwise the same: what such a text was
 * parsed to serves for all of them, with the values put in their places.
 */

/** `filters[views][$gte]=5`, of values that mean what they show: nothing in them is encoded. */
const COMPARISON =
  /((?:^|&)filters((?:(?:\[|%5B)[a-z]\w*(?:\]|%5D))+)(?:\[|%5B)(?:\$|%24)((?:eq|ne)i?|[lg]te?)(?:\]|%5D)=)([\w.:~-]+)(?=&|$)/gi
const BRACKETS = /\[|\]|%5B|%5D/i

/** A text without the values that can be replaced. */
export interface Holed {
  readonly text: string
  /** As the filter names each place; only looked at when the text is new. */
  paths(): readonly (readonly string[])[]
  readonly values: readonly string[]
}

export function withHoles(query: string): Holed {
  const names: [string, string][] = []
  const values: string[] = []
  const text = query.replace(COMPARISON, (_all, start, fields, operator, value) => {
    names.push([fields, operator])
    values.push(value)
    return start
  })
  const paths = () =>
    names.map(([fields, operator]) => [
      'filters',
      ...fields.split(BRACKETS).filter((name) => name !== ''),
      `$${operator}`,
    ])
  return { text, paths, values }
}

type Comparison = Extract<Filter, { kind: 'compare' }>

/** Makes the filter of a text whose values are others; undefined when a place cannot be told. */
export function refillOf(
  filter: Filter | null,
  { paths, values }: Holed,
): ((values: readonly string[]) => Filter) | undefined {
  const leaves = filter ? comparisonsIn(filter) : []
  const places = new Map<Comparison, number>()
  paths().forEach((path, hole) => {
    const [leaf, ...others] = leaves.filter(({ at }) => at?.join('/') === path.join('/'))
    if (leaf && others.length === 0 && isOnly(leaf.values, values[hole])) places.set(leaf, hole)
  })
  if (!filter || places.size < values.length) return undefined
  return (others) => refill(filter, places, others)
}

function isOnly(values: Comparison['values'], value: string | undefined): boolean {
  return values.length === 1 && values[0] === value
}

function comparisonsIn(filter: Filter): Comparison[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.of.flatMap(comparisonsIn)
    case 'not':
    case 'some':
      return comparisonsIn(filter.of)
    case 'compare':
      return [filter]
    default:
      return []
  }
}

function refill(
  filter: Filter,
  places: ReadonlyMap<Comparison, number>,
  values: readonly string[],
): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { ...filter, of: filter.of.map((each) => refill(each, places, values)) }
    case 'not':
    case 'some':
      return { ...filter, of: refill(filter.of, places, values) }
    case 'compare': {
      const value = values[places.get(filter) ?? -1]
      return value === undefined ? filter : { ...filter, values: [value] }
    }
    default:
      return filter
  }
}
