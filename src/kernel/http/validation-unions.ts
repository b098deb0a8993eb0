import type { FastifySchemaValidationError } from 'fastify'

const UNIONS = new Set(['anyOf', 'oneOf'])

/**
 * A value that fits no branch of a union is reported once per branch and once for the union. Only
 * the branch that was meant is of use: the one whose type and fixed values fit.
 */
export function simplifyUnions(
  errors: readonly FastifySchemaValidationError[],
): FastifySchemaValidationError[] {
  // Inner unions come before the unions around them, so each step sees simplified branches.
  return errors
    .filter((error) => UNIONS.has(error.keyword))
    .reduce((rest, union) => simplify(rest, union), [...errors])
}

function simplify(
  errors: readonly FastifySchemaValidationError[],
  union: FastifySchemaValidationError,
): FastifySchemaValidationError[] {
  const inside = (error: FastifySchemaValidationError) =>
    error.schemaPath.startsWith(`${union.schemaPath}/`) &&
    error.instancePath.startsWith(union.instancePath)
  const branches = Object.values(
    Object.groupBy(errors.filter(inside), (error) => branchOf(union, error)),
  ).flatMap((branch) => (branch ? [branch] : []))
  const outside = errors.filter((error) => !inside(error))
  if (branches.length === 0) return outside
  return outside.flatMap((error) => (error === union ? verdict(union, branches) : [error]))
}

function verdict(
  union: FastifySchemaValidationError,
  branches: readonly FastifySchemaValidationError[][],
): FastifySchemaValidationError[] {
  const [meant] = branches
    .filter((branch) => !branch.some((error) => isOtherBranch(union, error)))
    .toSorted((a, b) => a.length - b.length)
  if (meant) return meant
  const own = branches.flat().filter((error) => error.instancePath === union.instancePath)
  if (own.every((error) => error.keyword === 'type')) {
    return [{ ...union, keyword: 'type', params: { type: all(own, 'type') } }]
  }
  if (own.every((error) => error.keyword === 'const' || error.keyword === 'enum')) {
    const allowedValues = [...all(own, 'allowedValue'), ...all(own, 'allowedValues')]
    return [{ ...union, keyword: 'enum', params: { allowedValues } }]
  }
  return [union]
}

/** The value is of another type than this branch, or its fixed member says so. */
function isOtherBranch(
  union: FastifySchemaValidationError,
  error: FastifySchemaValidationError,
): boolean {
  const isOwn = error.instancePath === union.instancePath
  const below = error.instancePath.slice(union.instancePath.length + 1)
  if (error.keyword === 'const') return !below.includes('/')
  return isOwn && (error.keyword === 'type' || error.keyword === 'enum')
}

function branchOf(union: FastifySchemaValidationError, error: FastifySchemaValidationError) {
  return error.schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0] ?? ''
}

function all(errors: readonly FastifySchemaValidationError[], name: string): unknown[] {
  return errors.flatMap((error) => (error.params[name] === undefined ? [] : error.params[name]))
}
