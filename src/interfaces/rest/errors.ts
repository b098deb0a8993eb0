import type { RenderError } from '#http'
import { renderError } from '#http-text'
import { DomainError, type Issue } from '#kernel'

/** Refusals of the store in the words of this dialect (contract §6). */
export const renderRestError: RenderError = (error, context) =>
  renderError(toRestError(error), context)

const OF_MEMBERS = ['unknown_field', 'read_only_field']

export function toRestError(error: DomainError): DomainError {
  if (error.kind !== 'invalid') return error
  if (error.code === 'invalid_query') return invalidQuery(error)
  if (error.code === 'validation_error') return invalidMembers(error)
  return error
}

/** The store names what is wrong with a query by the place where it was written. */
function invalidQuery({ issues, message }: DomainError): DomainError {
  const isInclude = issues.length > 0 && issues.every(({ path }) => path[0] === 'include')
  const code = isInclude ? 'invalid_include' : 'invalid_parameter'
  const named = issues.map(withParameter)
  const [first] = named
  const text = named.length === 1 && first ? first.message : message
  return new DomainError('invalid', code, text, { issues: named })
}

function withParameter({ path, rule, message }: Issue): Issue {
  const [parameter = 'query'] = path
  const name = String(parameter)
  return { path, rule, message: message.includes(name) ? message : `${name}: ${message}` }
}

/** When nothing but names is wrong, the code says so. */
function invalidMembers(error: DomainError): DomainError {
  const { issues, message } = error
  const code = OF_MEMBERS.find((rule) => issues.every((issue) => issue.rule === rule))
  return code && issues.length > 0 ? new DomainError('invalid', code, message, { issues }) : error
}
