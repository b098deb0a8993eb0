import type { BuildCompilerFromPool } from '@fastify/ajv-compiler'
import type { FastifyServerOptions } from 'fastify'

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>
type ExternalSchemas = Parameters<BuildCompilerFromPool>[0]
/** Declared as a schema, but the framework hands over `{ schema, httpPart, … }`. */
type RouteSchema = Parameters<ReturnType<BuildCompilerFromPool>>[0]

// All problems are reported, not the first; nothing sent is dropped in silence.
const COMMON = { allErrors: true, removeAdditional: false, useDefaults: true }
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
export async function createSchemaController(): Promise<SchemaController> {
  const { default: createFactory } = await import('@fastify/ajv-compiler')
  const factory = createFactory()
  return {
    compilersFactory: {
      buildValidator(schemas: ExternalSchemas) {
        const compiler = (coerceTypes: false | 'array') =>
          factory(schemas, { customOptions: { ...COMMON, ...LENIENT, coerceTypes } })
        const forJson = compiler(false)
        const forText = compiler('array')
        return (route: RouteSchema) => (isForBody(route) ? forJson(route) : forText(route))
      },
    },
  }
}

function isForBody(route: RouteSchema): boolean {
  return typeof route === 'object' && 'httpPart' in route && route['httpPart'] === 'body'
}
