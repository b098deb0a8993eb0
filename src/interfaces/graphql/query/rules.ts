import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  NoUndefinedVariablesRule,
  NoUnusedVariablesRule,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  type ValidationRule,
  VariablesInAllowedPositionRule,
  validate,
} from 'graphql'

/** These follow variables through the whole document, so they are asked of what is right otherwise. */
const OF_VARIABLES = new Set<ValidationRule>([
  NoUndefinedVariablesRule,
  NoUnusedVariablesRule,
  VariablesInAllowedPositionRule,
])
/** Takes the square of the document's length; `overlaps.ts` does not. */
const REPLACED = OverlappingFieldsCanBeMergedRule
const FIRST = specifiedRules.filter((rule) => rule !== REPLACED && !OF_VARIABLES.has(rule))
const WITHOUT_INTROSPECTION = [...FIRST, NoSchemaIntrospectionCustomRule]

const TEXT_FOR_TEXTS = /of type "String!?" used in position expecting type "\[String\]/

/**
 * The rules of the specification but for one thing: a text may stand where texts are listed, because
 * Doc 3 §4.4 shows `sort: String` and operations of CMS clients declare `[String]`. Names that were meant
 * are not suggested: to look for them among thousands takes longer than all the rest.
 */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  introspection: boolean,
  maxErrors: number,
): readonly GraphQLError[] {
  const options = { maxErrors, hideSuggestions: true }
  const first = introspection ? FIRST : WITHOUT_INTROSPECTION
  const errors = validate(schema, document, first, options)
  if (errors.length > 0) return errors
  return validate(schema, document, [...OF_VARIABLES], options).filter(
    ({ message }) => !TEXT_FOR_TEXTS.test(message),
  )
}
