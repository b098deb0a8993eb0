import type { BuildCompilerFromPool } from '@fastify/ajv-compiler'
import type { FastifySchemaCompiler } from 'fastify'

type Check = ReturnType<ReturnType<BuildCompilerFromPool>>

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
  return (route) => whenFirstAsked(() => (route.httpPart === 'body' ? forJson : forText)(route))
}

/** Most of the two hundred routes are not asked in the life of a process; a start need not wait. */
function whenFirstAsked(compile: () => Check) {
  let check: Check | undefined
  return (value: unknown) => {
    check ??= compile()
    return check(value) === true ? true : { error: check.errors ?? [] }
  }
}
