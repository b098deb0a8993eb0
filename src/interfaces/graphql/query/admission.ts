import { getVariableValues } from 'graphql'
import { refused, refusedFor } from '../errors.ts'
import type { Variables } from './arguments.ts'
import { costOf, type Steps } from './cost.ts'
import type { DocumentSettings, Prepared } from './document.ts'
import type { Picked } from './picked.ts'

/** An operation with its variables that may be executed. */
interface Admitted {
  readonly roots: readonly Picked[]
  readonly variables: Variables
  /** The answer says what it could have cost. */
  readonly headers: Readonly<Record<string, string>>
}

/** Aliases repeat values; more than so many of each entry, on average, nobody needs. */
const VALUES_PER_ENTRY = 50
/** Every relation is a statement whatever it finds, also one of which a page of no size is asked for. */
const ENTRIES_PER_LOAD = 25
/** However low the limit of the cost is: relations of single entries cost next to nothing. */
const LEAST_LOADS = 100
const MOST_ERRORS = 10

/** Refuses variables that do not fit and what could cost too much, before anything is read. */
export function admitOperation(
  prepared: Prepared,
  given: Readonly<Record<string, unknown>>,
  settings: DocumentSettings,
): Admitted {
  const { operation, schema } = prepared
  const definitions = operation.variableDefinitions ?? []
  const options = { maxErrors: MOST_ERRORS, hideSuggestions: true }
  const { variableValues, errors } = getVariableValues(schema.schema, definitions, given, options)
  if (!variableValues) throw refusedFor(errors, 'BAD_USER_INPUT')
  const { roots, ...steps } = prepared.rootsFor(variableValues.coerced)
  checkSteps(steps, settings)
  return { roots, variables: variableValues, headers: checkCost(roots, variableValues, settings) }
}

function checkSteps({ hops, loads }: Steps, { maxHops, maxCost }: DocumentSettings): void {
  if (hops > maxHops) {
    const message = `The query goes through ${hops} relations, the limit is ${maxHops}`
    throw refused('QUERY_TOO_DEEP', message)
  }
  const most = Math.max(LEAST_LOADS, Math.ceil(maxCost / ENTRIES_PER_LOAD))
  if (loads <= most) return
  const message = `The query follows ${loads} relations, the limit is ${most}; ask for fewer at once`
  throw refused('QUERY_TOO_COMPLEX', message)
}

function checkCost(
  roots: readonly Picked[],
  variables: Variables,
  { maxCost: limit }: DocumentSettings,
): Admitted['headers'] {
  const { cost, values } = costOf(roots, variables)
  const headers = { 'x-query-cost': String(cost), 'x-query-cost-limit': String(limit) }
  const refuse = (message: string, facts = {}) =>
    refused('QUERY_TOO_COMPLEX', message, facts, headers)
  if (cost > limit) {
    throw refuse(`The query could show ${cost} entries, the limit is ${limit}`, { cost, limit })
  }
  const mostValues = limit * VALUES_PER_ENTRY
  if (values > mostValues) {
    throw refuse(`The query could show ${values} values, the limit is ${mostValues}`)
  }
  return headers
}
