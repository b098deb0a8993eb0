import {
  type ASTVisitor,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  NoUndefinedVariablesRule,
  NoUnusedVariablesRule,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  VariablesInAllowedPositionRule,
  validate,
} from 'graphql'

/** These follow variables through the whole document, so they are asked of what is right otherwise. */
const OF_VARIABLES = new Set<ValidationRule>([
  NoUndefinedVariablesRule,
  NoUnusedVariablesRule,
  textForTexts,
])
/** Takes the square of the document's length; `overlaps.ts` does not. */
const REPLACED = OverlappingFieldsCanBeMergedRule
const APART = new Set([...OF_VARIABLES, VariablesInAllowedPositionRule, REPLACED])
const FIRST = specifiedRules.filter((rule) => !APART.has(rule))
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
  return validate(schema, document, [...OF_VARIABLES], options)
}

/** As `VariablesInAllowedPositionRule` has it, without the errors that are none here. */
function textForTexts(context: ValidationContext): ASTVisitor {
  const lenient: ValidationContext = Object.create(context, {
    reportError: {
      value(error: GraphQLError) {
        if (!TEXT_FOR_TEXTS.test(error.message)) context.reportError(error)
      },
    },
  })
  return VariablesInAllowedPositionRule(lenient)
}
