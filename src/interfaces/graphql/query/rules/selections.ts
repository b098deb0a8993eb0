import {
  doTypesOverlap,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  type InlineFragmentNode,
  isCompositeType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { Fragments } from '../limits.ts'
import { checkArguments, checkDirectives } from './arguments.ts'
import type { AddFault } from './faults.ts'
import type { Uses } from './variables.ts'

const INTROSPECTION = new Set(['__schema', '__type'])

/** Fields of a selection are those of its type, and fragments can apply to it. */
export function createSelections(
  schema: GraphQLSchema,
  fragments: Fragments,
  introspection: boolean,
  add: AddFault,
) {
  return { checkSelections, compositeOf }

  function checkSelections(
    { selections }: SelectionSetNode,
    parent: GraphQLCompositeType,
    uses: Uses,
  ): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) checkField(selection, parent, uses)
      else if (selection.kind === Kind.INLINE_FRAGMENT) checkInline(selection, parent, uses)
      else {
        checkDirectives(schema, selection, 'FRAGMENT_SPREAD', add, uses)
        const name = selection.name.value
        const fragment = fragments.get(name)
        const type = fragment && schema.getType(fragment.typeCondition.name.value)
        if (!fragment) add(`Unknown fragment "${name}".`, selection)
        else if (isCompositeType(type) && !doTypesOverlap(schema, parent, type)) {
          add(`Fragment "${name}" on "${type}" can never be spread in "${parent}".`, selection)
        }
      }
    }
  }

  function checkField(node: FieldNode, parent: GraphQLCompositeType, uses: Uses): void {
    checkDirectives(schema, node, 'FIELD', add, uses)
    const name = node.name.value
    const field = schema.getField(parent, name)
    if (!field) {
      add(`Cannot query field "${name}" on type "${parent}".`, node)
      return
    }
    if (!introspection && INTROSPECTION.has(name)) {
      add(`Introspection is disabled here, and the query asks for "${name}".`, node)
    }
    checkArguments(node, () => `field "${parent}.${name}"`, field.args, add, uses)
    const type = getNamedType(field.type)
    const { selectionSet } = node
    if (!isCompositeType(type)) {
      if (!selectionSet) return
      const why = `since type "${field.type}" has no subfields`
      add(`Field "${name}" must not have a selection ${why}.`, node)
    } else if (selectionSet) checkSelections(selectionSet, type, uses)
    else add(`Field "${name}" of type "${field.type}" must have a selection of subfields.`, node)
  }

  function checkInline(node: InlineFragmentNode, parent: GraphQLCompositeType, uses: Uses): void {
    checkDirectives(schema, node, 'INLINE_FRAGMENT', add, uses)
    const type = node.typeCondition ? compositeOf(node) : parent
    if (type && !doTypesOverlap(schema, parent, type)) {
      add(`A fragment on "${type}" can never be spread in "${parent}".`, node)
    }
    if (type) checkSelections(node.selectionSet, type, uses)
  }

  /** The type that a fragment is on. */
  function compositeOf({
    typeCondition,
  }: FragmentDefinitionNode | InlineFragmentNode): GraphQLCompositeType | undefined {
    if (!typeCondition) return undefined
    const name = typeCondition.name.value
    const type = schema.getType(name)
    if (isCompositeType(type)) return type
    if (type) add(`Fragment cannot condition on non composite type "${name}".`, typeCondition)
    else add(`Unknown type "${name}".`, typeCondition)
    return undefined
  }
}
