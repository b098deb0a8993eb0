import type { FastifySerializerCompiler } from 'fastify/types/schema.js'

type Serialize = (document: unknown) => string

/**
 * The framework's serializer of answers, each made when its route first gives one: most of the two hundred
 * routes give none in the life of a process, and a start need not wait for theirs.
 */
export async function createSerializerCompiler(): Promise<FastifySerializerCompiler<unknown>> {
  const { default: createFactory } = await import('@fastify/fast-json-stringify-compiler')
  const compile = createFactory()()
  return ({ method, url, schema, httpStatus = '' }) => {
    let serialize: Serialize | undefined
    return (document: unknown) => {
      serialize ??= compile({ method, url, schema, httpStatus })
      return serialize(document)
    }
  }
}
