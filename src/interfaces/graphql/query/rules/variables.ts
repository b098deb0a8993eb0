import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputType,
  isListType,
  isNonNullType,
  isTypeSubTypeOf,
  Kind,
  type OperationDefinitionNode,
  type TypeNode,
  typeFromAST,
  type VariableDefinitionNode,
  type VariableNode,
} from 'graphql'
import { checkDirectives } from './arguments.ts'
import { type AddFault, checkUnique } from './faults.ts'
import { checkValue } from './values.ts'

interface Use {
  readonly node: VariableNode
  /** Undefined inside of a value of any form, where every type fits. */
  readonly type: GraphQLInputType | undefined
  readonly hasDefault: boolean
}

/** The variables that an operation or a fragment uses, those of one name and type once. */
export interface Uses {
  readonly byName: ReadonlyMap<string, ReadonlyMap<GraphQLInputType | undefined, Use>>
  note(node: VariableNode, type: GraphQLInputType | undefined, hasDefault: boolean): void
}

export function createUses(): Uses {
  const byName = new Map<string, Map<GraphQLInputType | undefined, Use>>()
  return { byName, note }

  function note(node: VariableNode, type: Use['type'], hasDefault: boolean): void {
    const name = node.name.value
    const known = byName.get(name)
    if (known) known.set(type, { node, type, hasDefault })
    else byName.set(name, new Map([[type, { node, type, hasDefault }]]))
  }
}

/** Each variable once, of a type that can be sent, with a default that fits. */
export function checkDefinitions(
  schema: GraphQLSchema,
  { variableDefinitions }: OperationDefinitionNode,
  add: AddFault,
  uses: Uses,
): void {
  const message = (name: string) => `There can be only one variable named "$${name}".`
  checkUnique(variableDefinitions, ({ variable }) => variable.name.value, message, add)
  for (const node of variableDefinitions ?? []) {
    const type = typeOf(schema, node, add)
    if (type && node.defaultValue) checkValue(node.defaultValue, type, false, { add, uses })
    checkDirectives(schema, node, 'VARIABLE_DEFINITION', add, uses)
  }
}

function typeOf(
  schema: GraphQLSchema,
  node: VariableDefinitionNode,
  add: AddFault,
): GraphQLInputType | undefined {
  const name = nameIn(node.type)
  const named = schema.getType(name)
  const type = named && typeFromAST(schema, node.type)
  if (isInputType(type)) return type
  const { value } = node.variable.name
  if (!named) add(`Unknown type "${name}".`, node.type)
  else add(`Variable "$${value}" cannot be non-input type "${name}".`, node.type)
  return undefined
}

function nameIn(type: TypeNode): string {
  let inner = type
  while (inner.kind !== Kind.NAMED_TYPE) inner = inner.type
  return inner.name.value
}

/**
 * What an operation uses is defined by it, and fits where it stands; what it defines is used. `used`: by
 * itself and by its fragments. The work is as long as the definitions are: a use that is not of one of
 * them, or that does not fit, is a fault, of which a few end the search.
 */
export function checkUses(
  schema: GraphQLSchema,
  { variableDefinitions = [], name }: OperationDefinitionNode,
  used: readonly Uses[],
  add: AddFault,
): void {
  const open = new Map(variableDefinitions.map((node) => [node.variable.name.value, node]))
  const defined = new Map(open)
  const where = name ? ` in operation "${name.value}"` : ''
  for (const { byName } of used) {
    for (const [variable, positions] of byName) {
      const definition = defined.get(variable)
      open.delete(variable)
      for (const use of positions.values()) {
        if (definition) checkPosition(schema, definition, use, add)
        else add(`Variable "$${variable}" is not defined${where}.`, use.node)
      }
    }
  }
  for (const [variable, node] of open) add(`Variable "$${variable}" is never used${where}.`, node)
}

function checkPosition(
  schema: GraphQLSchema,
  definition: VariableDefinitionNode,
  { node, type: wanted, hasDefault }: Use,
  add: AddFault,
): void {
  const given = wanted && typeFromAST(schema, definition.type)
  if (!isInputType(given) || !wanted) return
  const { defaultValue } = definition
  const isNeverNull = hasDefault || (defaultValue && defaultValue.kind !== Kind.NULL)
  const expected = isNonNullType(wanted) && isNeverNull ? wanted.ofType : wanted
  if (isTypeSubTypeOf(schema, given, expected) || isTextForTexts(given, expected)) return
  const used = `used in position expecting type "${wanted}"`
  add(`Variable "$${node.name.value}" of type "${given}" ${used}.`, definition, node)
}

/**
 * A text may stand where texts are listed: Doc 3 §4.4 shows `sort: String`, and operations of CMS clients
 * declare `[String]`.
 */
function isTextForTexts(given: GraphQLInputType, expected: GraphQLInputType): boolean {
  const one = isNonNullType(given) ? given.ofType : given
  if (isListType(one) || !isListType(expected)) return false
  return getNamedType(one).name === 'String' && expected.ofType === getNamedType(one)
}
