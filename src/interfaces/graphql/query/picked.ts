import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import type { Meaning } from '../schema/meaning.ts'
import type { Schema } from '../schema.ts'
import type { Arguments } from './arguments.ts'
import type { Fragments } from './limits.ts'

/** A field of the answer: what several selections say of one name, put together. */
export interface Picked {
  /** As the answer calls it. */
  readonly key: string
  readonly name: string
  /** The type it is a field of. */
  readonly parent: string
  /** Undefined for `__typename`, `__schema` and `__type`. */
  readonly meaning: Meaning | undefined
  /** Undefined for the same. */
  readonly field: GraphQLField<unknown, unknown> | undefined
  /** The first that names it; its arguments are those of the others. */
  readonly node: FieldNode
  /** All that name it. */
  readonly nodes: readonly FieldNode[]
  /** It cannot be null. */
  readonly isSure: boolean
  /** What is picked of its object, by the name of the object's type where it may be of several. */
  readonly of: (type?: string) => readonly Picked[]
  /** The types that its selection tells apart. */
  readonly kinds: readonly string[]
  /** What was found out of it, whatever the variables are. */
  readonly known: { arguments?: Arguments }
}

/** Whether a selection counts, which `@skip` and `@include` decide. */
type Counts = (selection: SelectionNode) => boolean

/** Fields of an object in the order of the answer. */
export function pickFields(
  { schema, meaningOf }: Schema,
  root: GraphQLObjectType,
  selections: SelectionSetNode,
  fragments: Fragments,
  counts: Counts,
): readonly Picked[] {
  return pick(root, [selections])

  function pick(parent: GraphQLObjectType, sets: readonly SelectionSetNode[]): readonly Picked[] {
    const picked: Picked[] = []
    for (const [key, nodes] of collect(parent, sets)) picked.push(toPicked(parent, key, nodes))
    return picked
  }

  function toPicked(
    parent: GraphQLObjectType,
    key: string,
    nodes: readonly [FieldNode, ...FieldNode[]],
  ): Picked {
    const [node] = nodes
    const name = node.name.value
    const field = parent.getFields()[name]
    const type = field && getNamedType(field.type)
    const isSure = field === undefined || isNonNullType(field.type)
    const meaning = meaningOf(parent.name, name)
    const own = { key, name, node, nodes, field, meaning, isSure, parent: parent.name, known: {} }
    if (isObjectType(type)) {
      const inner = pick(type, setsOf(nodes))
      return { ...own, kinds: NO_KINDS, of: () => inner }
    }
    if (!isAbstractType(type)) return { ...own, kinds: NO_KINDS, of: nothing }
    const sets = setsOf(nodes)
    if (meaning?.of === 'zone')
      return { ...own, kinds: [...meaning.kinds.keys()], of: byType(sets) }
    return { ...own, kinds: [...kindsIn(sets, new Set())], of: byType(sets) }
  }

  /** What is picked of an object whose type is known when it is read. */
  function byType(sets: readonly SelectionSetNode[]): Picked['of'] {
    const known = new Map<string, readonly Picked[]>()
    return (type) => {
      if (type === undefined) return []
      const found = known.get(type) ?? pickOf(type, sets)
      known.set(type, found)
      return found
    }
  }

  function pickOf(type: string, sets: readonly SelectionSetNode[]): readonly Picked[] {
    const object = schema.getType(type)
    return isObjectType(object) ? pick(object, sets) : []
  }

  function kindsIn(sets: readonly SelectionSetNode[], found: Set<string>): Set<string> {
    for (const selection of sets.flatMap((set) => set.selections)) {
      if (selection.kind === Kind.FIELD) continue
      const inner =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
      const on = inner?.typeCondition?.name.value
      if (on !== undefined) found.add(on)
      if (inner) kindsIn([inner.selectionSet], found)
    }
    return found
  }

  function isOf(type: GraphQLObjectType, condition: string | undefined): boolean {
    if (condition === undefined || condition === type.name) return true
    const on = schema.getType(condition)
    return isAbstractType(on) && schema.isSubType(on, type)
  }

  function collect(parent: GraphQLObjectType, sets: readonly SelectionSetNode[]) {
    const found = new Map<string, [FieldNode, ...FieldNode[]]>()
    let spread: Set<string> | undefined
    for (const set of sets) add(set)
    return found

    function add({ selections: all }: SelectionSetNode): void {
      for (const selection of all) {
        if (!counts(selection)) continue
        if (selection.kind === Kind.FIELD) addField(selection)
        else if (selection.kind === Kind.INLINE_FRAGMENT) {
          if (isOf(parent, selection.typeCondition?.name.value)) add(selection.selectionSet)
        } else addFragment(selection.name.value)
      }
    }

    function addFragment(name: string): void {
      spread ??= new Set()
      const fragment = spread.has(name) ? undefined : fragments.get(name)
      spread.add(name)
      if (fragment && isOf(parent, fragment.typeCondition.name.value)) add(fragment.selectionSet)
    }

    function addField(node: FieldNode): void {
      const key = node.alias?.value ?? node.name.value
      const others = found.get(key)
      if (others) others.push(node)
      else found.set(key, [node])
    }
  }
}

const NO_KINDS: readonly string[] = []

function nothing(): readonly Picked[] {
  return []
}

function setsOf(nodes: readonly FieldNode[]): readonly SelectionSetNode[] {
  const sets: SelectionSetNode[] = []
  for (const { selectionSet } of nodes) if (selectionSet) sets.push(selectionSet)
  return sets
}
