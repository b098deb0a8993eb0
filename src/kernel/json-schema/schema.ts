import type { Issue } from '../errors.ts'
import { memoize } from '../memoize.ts'
import { checkSchema } from './definition.ts'
import { type Budget, createBudget, type Node, validate } from './validate.ts'

/** What the payloads of one request may cost together; a schema in circles could go on for ever. */
const MAX_STEPS = 200_000
const MAX_ISSUES = 50
const MAX_COMPILED = 500

/** Schemas by their text, which is what is stored. */
export function createPayloadSchemas() {
  const schemaOf = memoize(MAX_COMPILED, (text: string): Node => JSON.parse(text))
  return { createCheck }

  /** For the payloads of one request. Every problem of a payload, at most fifty; none if it fits. */
  function createCheck(steps = MAX_STEPS) {
    const budget = createBudget(steps)
    return (schema: string, payload: unknown) => problemsOf(schemaOf(schema), payload, budget)
  }
}

/** Numbers are looked at as doubles: a schema says nothing of digits that only text can keep. */
function problemsOf(root: Node, payload: unknown, budget: Budget): readonly Issue[] {
  const plain: unknown = JSON.parse(JSON.stringify(payload))
  const issues = validate({ root, budget, depth: 0 }, root, plain, [])
  if (!budget.isSpent()) return issues.slice(0, MAX_ISSUES)
  const message = 'takes too long to check against its schema'
  return [{ path: [], rule: 'schema', message }]
}

/** What is wrong with a schema itself; paths lead into it. */
export function problemsOfSchema(schema: unknown): readonly Issue[] {
  return checkSchema(JSON.parse(JSON.stringify(schema))).slice(0, MAX_ISSUES)
}
