import {
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionSetNode,
} from 'graphql'
import type { Fragments } from './limits.ts'
import type { Fault } from './rules/faults.ts'

/** One of the fields that an answer shows under one name. */
interface Found {
  readonly parent: GraphQLNamedType | undefined
  readonly node: FieldNode
  readonly type: GraphQLOutputType | undefined
}

interface Selected {
  readonly parent: GraphQLNamedType | undefined
  readonly selections: SelectionSetNode
}

/**
 * The rule that fields of one name can be merged (specification §5.3.2). Fields of a name are compared with
 * the first of them and not each with each, so the work grows with the document and not with its square.
 * For documents without circles whose spread size is limited.
 */
export function findConflict(
  schema: GraphQLSchema,
  { operation, selectionSet }: OperationDefinitionNode,
  fragments: Fragments,
): Fault | undefined {
  const root = schema.getRootType(operation) ?? undefined
  return check([{ parent: root, selections: selectionSet }], true)

  /** `isSame`: what is merged belongs to one object, so fields must be the same, not only alike. */
  function check(sets: readonly Selected[], isSame: boolean): Fault | undefined {
    if (isOneValue(sets)) return undefined
    for (const [key, found] of collect(sets)) {
      if (found.length === 1 && !found[0]?.node.selectionSet) continue
      const conflict = checkGroup(key, found, isSame)
      if (conflict) return conflict
    }
    return undefined
  }

  function checkGroup(key: string, found: readonly Found[], isSame: boolean) {
    const [first] = found
    if (!first) return undefined
    if (found.length === 1) return check(subsets(found), isSame)
    const alien = found.find(({ type }) => !isAlike(first.type, type))
    if (alien) return conflictOf(key, first, alien, 'they return types that are not alike')
    const groups = isSame ? byParent(found) : []
    for (const group of groups) {
      const conflict = checkSame(key, group) ?? check(subsets(group), true)
      if (conflict) return conflict
    }
    return groups.length === 1 ? undefined : check(subsets(found), false)
  }

  function checkSame(key: string, [first, ...rest]: readonly Found[]) {
    if (!first) return undefined
    const other = rest.find(({ node }) => node.name.value !== first.node.name.value)
    if (other) {
      const names = `${first.node.name.value} and ${other.node.name.value}`
      return conflictOf(key, first, other, `${names} are different fields`)
    }
    if (rest.length === 0) return undefined
    const wanted = argumentsOf(first.node)
    const differing = rest.find(({ node }) => argumentsOf(node) !== wanted)
    return differing && conflictOf(key, first, differing, 'they have differing arguments')
  }

  function collect(sets: readonly Selected[]): ReadonlyMap<string, readonly Found[]> {
    const found = new Map<string, Found[]>()
    let spread: Set<string> | undefined
    for (const { parent, selections } of sets) add(parent, selections)
    return found

    function add(parent: GraphQLNamedType | undefined, { selections }: SelectionSetNode): void {
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) addField(parent, selection)
        else if (selection.kind === Kind.INLINE_FRAGMENT) {
          const on = selection.typeCondition?.name.value
          add(on === undefined ? parent : schema.getType(on), selection.selectionSet)
        } else addFragment(selection.name.value)
      }
    }

    function addFragment(name: string): void {
      spread ??= new Set()
      const fragment = spread.has(name) ? undefined : fragments.get(name)
      spread.add(name)
      if (fragment) add(schema.getType(fragment.typeCondition.name.value), fragment.selectionSet)
    }

    function addField(parent: GraphQLNamedType | undefined, node: FieldNode): void {
      const key = node.alias?.value ?? node.name.value
      const has = isObjectType(parent) || isInterfaceType(parent)
      const type = has ? parent.getFields()[node.name.value]?.type : undefined
      const own = { parent, node, type }
      const others = found.get(key)
      if (others) others.push(own)
      else found.set(key, [own])
    }
  }
}

/** Nothing to compare: one field that has no others inside. */
function isOneValue([set, ...rest]: readonly Selected[]): boolean {
  const [one, ...others] = set?.selections.selections ?? []
  if (rest.length > 0 || others.length > 0) return false
  return one?.kind === Kind.FIELD && !one.selectionSet
}

function subsets(found: readonly Found[]): readonly Selected[] {
  const sets: Selected[] = []
  for (const { node, type } of found) {
    const { selectionSet: selections } = node
    if (selections) sets.push({ parent: type && getNamedType(type), selections })
  }
  return sets
}

/** Fields of different objects are never shown together; those of an interface are with each of them. */
function byParent(found: readonly Found[]): readonly (readonly Found[])[] {
  const objects = new Set(found.map(({ parent }) => parent).filter(isObjectType))
  if (objects.size <= 1) return [found]
  const common = found.filter(({ parent }) => !isObjectType(parent))
  return [...objects].map((own) => [...common, ...found.filter(({ parent }) => parent === own)])
}

function isAlike(
  one: GraphQLOutputType | undefined,
  other: GraphQLOutputType | undefined,
): boolean {
  if (!one || !other || one === other) return true
  if (isNonNullType(one) || isNonNullType(other)) {
    return isNonNullType(one) && isNonNullType(other) && isAlike(one.ofType, other.ofType)
  }
  if (isListType(one) || isListType(other)) {
    return isListType(one) && isListType(other) && isAlike(one.ofType, other.ofType)
  }
  if (isLeafType(one) || isLeafType(other)) return one === other
  return isCompositeType(one) && isCompositeType(other)
}

function argumentsOf({ arguments: given = [] }: FieldNode): string {
  return given
    .map(({ name, value }) => `${name.value}:${print(value)}`)
    .sort()
    .join(',')
}

function conflictOf(key: string, one: Found, other: Found, why: string): Fault {
  const message = `Fields "${key}" conflict because ${why}. Use different aliases on the fields to fetch both.`
  return { message, nodes: [one.node, other.node] }
}
