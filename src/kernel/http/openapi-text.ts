import { setImmediate } from 'node:timers/promises'
import {
  completePath,
  type ErrorBody,
  type ExampleOf,
  HOUSE_ERRORS,
  sharedComponents,
} from './openapi-operations.ts'

/** What is added to a document, in objects small enough to be made and written one by one. */
export interface OpenApiSections {
  /** Another one when anything in the sections is. */
  readonly revision: string
  readonly paths?: Iterable<object>
  readonly webhooks?: Iterable<object>
  readonly schemas?: Iterable<object>
  readonly parameters?: Iterable<object>
}

export interface OpenApiBase {
  readonly paths?: object
  readonly components?: {
    readonly schemas?: object
    readonly parameters?: object
    readonly securitySchemes?: object
  }
}

/** How an interface refuses, and what its operations look like in use. */
interface Manner {
  readonly errors?: ErrorBody | undefined
  readonly exampleOf?: ExampleOf | undefined
}

const none: ExampleOf = () => undefined

/** Others get their turn after so much text: about a millisecond of work. */
const TURN_CHARACTERS = 64 * 1024

/**
 * The text of a document with all sections, without its first brace, so that whoever sends it can put
 * members of his own before. It is made while it is read, and keeps nobody waiting.
 */
export async function* renderOpenApi(
  document: OpenApiBase,
  sections: readonly OpenApiSections[],
  { errors = HOUSE_ERRORS, exampleOf = none }: Manner = {},
): AsyncGenerator<string> {
  let written = 0
  for (const text of pieces(document, sections, errors, exampleOf)) {
    yield text
    written += text.length
    if (written < TURN_CHARACTERS) continue
    written = 0
    await setImmediate()
  }
}

function* pieces(
  { paths = {}, components = {}, ...rest }: OpenApiBase,
  sections: readonly OpenApiSections[],
  errors: ErrorBody,
  exampleOf: ExampleOf,
): Generator<string> {
  for (const [name, value] of Object.entries(rest)) yield `${member(name, value)},`
  const { schemas = {}, parameters = {}, ...others } = components
  const allPaths = [[paths], ...sections.map((section) => section.paths ?? [])]
  yield* group('paths', allPaths, (path, item) => completePath(path, item, exampleOf))
  yield ','
  yield* group(
    'webhooks',
    sections.map((section) => section.webhooks ?? []),
  )
  yield ',"components":{'
  for (const [name, value] of Object.entries(others)) yield `${member(name, value)},`
  const shared = sharedComponents(errors)
  yield `${member('responses', shared.responses)},`
  const own = [schemas, shared.schemas]
  yield* group('schemas', [own, ...sections.map((section) => section.schemas ?? [])])
  yield ','
  yield* group('parameters', [[parameters], ...sections.map((section) => section.parameters ?? [])])
  yield '}}'
}

/** One object of all members that these have. */
function* group(
  name: string,
  lists: readonly Iterable<object>[],
  complete: (name: string, value: unknown) => unknown = (_name, value) => value,
): Generator<string> {
  yield `${JSON.stringify(name)}:{`
  let separator = ''
  for (const list of lists) {
    for (const some of list) {
      for (const [own, value] of Object.entries(some)) {
        if (value === undefined) continue
        yield `${separator}${member(own, complete(own, value))}`
        separator = ','
      }
    }
  }
  yield '}'
}

function member(name: string, value: unknown): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`
}
