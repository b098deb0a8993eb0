import {
  type DocumentNode,
  doTypesOverlap,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  type InlineFragmentNode,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import type { Fragments } from './limits.ts'
import { checkArguments, checkDirectives } from './rules/arguments.ts'
import { type AddFault, checkUnique, collectFaults, type Fault } from './rules/faults.ts'
import { checkDefinitions, checkUses, createUses, type Uses } from './rules/variables.ts'

type Definition = OperationDefinitionNode | FragmentDefinitionNode

/**
 * The rules of the specification in one walk over the document, whose work grows with its length: those of
 * the language's own library take the square of it in places, and more than ten times as long elsewhere.
 * Names that were meant are not suggested: to look for them among thousands takes longer than all the rest.
 * For documents whose fragments do not run in circles; `overlaps.ts` has the rule of fields that are merged.
 */
export function validateDocument(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  fragments: Fragments,
  introspection: boolean,
  most: number,
): readonly Fault[] {
  const uses = new Map<Definition, Uses>()
  const own = collectFaults(most, (add) => {
    const { checkSelections, compositeOf } = createSelections(schema, fragments, introspection, add)
    const { operations, parts } = sortOut(definitions, add)
    for (const operation of operations) {
      const noted = usesOf(operation)
      const root = schema.getRootType(operation.operation)
      checkDefinitions(schema, operation, add, noted)
      checkDirectives(schema, operation, LOCATIONS[operation.operation], add, noted)
      if (root) checkSelections(operation.selectionSet, root, noted)
      else add(`There is no ${operation.operation} here.`, operation)
    }
    for (const part of parts) {
      const noted = usesOf(part)
      checkDirectives(schema, part, 'FRAGMENT_DEFINITION', add, noted)
      const type = compositeOf(part)
      if (type) checkSelections(part.selectionSet, type, noted)
    }
  })
  // Uses are known of what is right otherwise.
  return own.length > 0 ? own : collectFaults(most, checkReached)

  function usesOf(definition: Definition): Uses {
    const noted = createUses()
    uses.set(definition, noted)
    return noted
  }

  /** Variables of each operation with the fragments it reaches; a fragment that none reaches is a fault. */
  function checkReached(add: AddFault): void {
    const reached = new Set<Definition>()
    for (const [definition] of uses) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue
      const own = reachedFrom(definition, fragments)
      checkUses(
        schema,
        definition,
        [...own].flatMap((each) => uses.get(each) ?? []),
        add,
      )
      for (const each of own) reached.add(each)
    }
    for (const [definition] of uses) {
      if (definition.kind !== Kind.FRAGMENT_DEFINITION || reached.has(definition)) continue
      add(`Fragment "${definition.name.value}" is never used.`, definition)
    }
  }
}

const LOCATIONS = { query: 'QUERY', mutation: 'MUTATION', subscription: 'SUBSCRIPTION' } as const

/** Operations and fragments, whose names are their own; a document holds nothing else. */
function sortOut(definitions: DocumentNode['definitions'], add: AddFault) {
  const operations: OperationDefinitionNode[] = []
  const parts: FragmentDefinitionNode[] = []
  for (const definition of definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition)
    else if (definition.kind === Kind.FRAGMENT_DEFINITION) parts.push(definition)
    else add('A document holds operations and fragments, no definitions of a schema.', definition)
  }
  const named = operations.filter(({ name }) => name)
  const [lone] = operations.filter(({ name }) => !name)
  if (lone && operations.length > 1) {
    add('An operation without a name must be the only one of its document.', lone)
  }
  const nameOf = ({ name }: Definition) => name?.value ?? ''
  const taken = (kind: string) => (name: string) => `There can be only one ${kind} named "${name}".`
  checkUnique(named, nameOf, taken('operation'), add)
  checkUnique(parts, nameOf, taken('fragment'), add)
  return { operations, parts }
}

/** The operation itself and its fragments, each once. */
function reachedFrom(operation: OperationDefinitionNode, fragments: Fragments): Set<Definition> {
  const found = new Set<Definition>([operation])
  // Grows while it is walked.
  for (const definition of found) look(definition.selectionSet)
  return found

  function look({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value)
        if (fragment) found.add(fragment)
      } else if (selection.selectionSet) look(selection.selectionSet)
    }
  }
}

const INTROSPECTION = new Set(['__schema', '__type'])

/** Fields of a selection are those of its type, and fragments can apply to it. */
function createSelections(
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
