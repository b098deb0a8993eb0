import type { BuildCompilerFromPool } from '@fastify/ajv-compiler'
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify'

type Check = ReturnType<ReturnType<BuildCompilerFromPool>>
type Outcome = true | { error: FastifySchemaValidationError[] }

// All problems are reported, not the first; nothing sent is dropped in silence. The schemas are our own.
const COMMON = {
  allErrors: true,
  removeAdditional: false,
  useDefaults: true,
  validateSchema: false,
}
// A union of types is clear enough, and notes of OpenAPI mean nothing to the check.
const LENIENT = {
  strictTypes: false,
  strictTuples: false,
  allowUnionTypes: true,
  keywords: ['example'],
}

/**
 * The framework's validator, once for bodies and once for everything that travels as text: a
 * query has only text, so `page=2` is a number there, while the body says `2` or is refused.
 */
export async function createValidatorCompiler(): Promise<FastifySchemaCompiler<object>> {
  const { default: createFactory } = await import('@fastify/ajv-compiler')
  const factory = createFactory()
  const compiler = (coerceTypes: false | 'array') =>
    factory({}, { customOptions: { ...COMMON, ...LENIENT, coerceTypes } })
  const forJson = compiler(false)
  const forText = compiler('array')
  return (route) => {
    const isText = route.httpPart !== 'body'
    const check = whenFirstAsked(() => (isText ? forText : forJson)(route))
    return isText ? (value: unknown) => refuseInfinite(check(value), value) : check
  }
}

/** `1e999` becomes an infinite number, for which the validator knows no bounds. */
function refuseInfinite(outcome: Outcome, value: unknown): Outcome {
  if (outcome !== true || typeof value !== 'object' || value === null) return outcome
  for (const [name, member] of Object.entries(value)) {
    const isInfinite = [member].flat().some((each) => Math.abs(Number(each)) === Infinity)
    if (isInfinite && typeof member !== 'string') return { error: [infinite(name)] }
  }
  return true
}

function infinite(name: string): FastifySchemaValidationError {
  const params = { type: 'number' }
  return { keyword: 'type', instancePath: `/${name}`, schemaPath: '', params }
}

/** Most of the two hundred routes are not asked in the life of a process; a start need not wait. */
function whenFirstAsked(compile: () => Check): (value: unknown) => Outcome {
  let check: Check | undefined
  return (value) => {
    check ??= compile()
    return check(value) === true ? true : { error: check.errors ?? [] }
  }
}
