import {
  type ArgumentNode,
  type ASTNode,
  type ConstDirectiveNode,
  type DirectiveNode,
  type GraphQLArgument,
  type GraphQLSchema,
  isRequiredArgument,
} from 'graphql'
import { type AddFault, checkUnique } from './faults.ts'
import { checkValue, isOptional } from './values.ts'
import type { Uses } from './variables.ts'

/** Where a directive may stand in a document that is executed. */
type Location =
  | ('QUERY' | 'MUTATION' | 'SUBSCRIPTION' | 'FIELD' | 'FRAGMENT_DEFINITION')
  | ('FRAGMENT_SPREAD' | 'INLINE_FRAGMENT' | 'VARIABLE_DEFINITION')

/** Arguments of a field or directive: known, given once, none missing, each of its type. */
export function checkArguments(
  node: ASTNode & { readonly arguments?: readonly ArgumentNode[] | undefined },
  owner: () => string,
  defined: readonly GraphQLArgument[],
  add: AddFault,
  uses: Uses,
): void {
  const given = node.arguments ?? []
  if (given.length === 0 && defined.length === 0) return
  const message = (name: string) => `There can be only one argument named "${name}".`
  checkUnique(given, ({ name }) => name.value, message, add)
  const names = new Set<string>()
  for (const each of given) {
    const name = each.name.value
    const argument = defined.find((known) => known.name === name)
    names.add(name)
    if (!argument) add(`Unknown argument "${name}" on ${owner()}.`, each)
    else checkValue(each.value, argument.type, isOptional(argument), { add, uses })
  }
  for (const argument of defined) {
    if (names.has(argument.name) || !isRequiredArgument(argument)) continue
    const what = `Argument "${argument.name}" of type "${argument.type}"`
    add(`${what} is required on ${owner()}, but it was not provided.`, node)
  }
}

/** Directives of a node: known, each once, at a location where it has a meaning. */
export function checkDirectives(
  schema: GraphQLSchema,
  {
    directives,
  }: { readonly directives?: readonly (DirectiveNode | ConstDirectiveNode)[] | undefined },
  location: Location,
  add: AddFault,
  uses: Uses,
): void {
  if (!directives || directives.length === 0) return
  const message = (name: string) =>
    `The directive "@${name}" can only be used once at this location.`
  checkUnique(directives, ({ name }) => name.value, message, add)
  for (const node of directives) {
    const name = node.name.value
    const directive = schema.getDirective(name)
    if (!directive) add(`Unknown directive "@${name}".`, node)
    else if (!directive.locations.some((each) => each === location)) {
      add(`Directive "@${name}" may not be used on ${location}.`, node)
    } else checkArguments(node, () => `directive "@${name}"`, directive.args, add, uses)
  }
}
