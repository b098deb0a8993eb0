import { GraphQLError } from 'graphql'
import { storageUnavailable } from '#http'
import { DomainError } from '#kernel'
import type { GraphqlDeps } from './deps.ts'
import { locationsOf, Refused, renderFieldError, type ShownError } from './errors.ts'
import { admitOperation } from './query/cost.ts'
import type { DocumentSettings, Prepared } from './query/document.ts'
import type { Picked } from './query/picked.ts'
import { readIntrospection, readLocales } from './read/locales.ts'
import { type Answer, createRootReads } from './read/root.ts'
import { checkLength } from './render/writing.ts'
import type { Asked } from './request.ts'
import { createWrites } from './write.ts'

/** The whole answer, and what it could have cost. */
interface Executed {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
  /** The types it was made from; null: it cannot be given again. */
  readonly typeNos: readonly number[] | null
}

interface Field {
  readonly root: Picked
  readonly text: string | null
  readonly typeNos: readonly number[] | null
}

/** Executes operations: each field of the root is one question to the store, or one change. */
export function createExecution(deps: GraphqlDeps) {
  const reads = createRootReads(deps)
  const writes = createWrites(deps, reads)
  return { execute }

  async function execute(
    prepared: Prepared,
    given: Readonly<Record<string, unknown>>,
    asked: Omit<Asked, 'schema' | 'model' | 'variables'>,
    settings: DocumentSettings,
  ): Promise<Executed> {
    const { operation, schema } = prepared
    const { roots, variables, headers } = admitOperation(prepared, given, settings)
    const whole = { ...asked, schema, model: schema.model, variables }
    const errors: ShownError[] = []
    const written = { length: 0 }
    const answerOf = (root: Picked) => answer(prepared, whole, root, errors, written)
    const fields =
      operation.operation === 'mutation'
        ? await oneByOne(roots, answerOf)
        : await Promise.all(roots.map(answerOf))
    // An error may be of this moment: somebody was late.
    const typeNos = errors.length > 0 ? null : typesOf(fields)
    return { text: render(fields, errors), headers, typeNos }
  }

  /** A field that fails has no value; the others are answered. */
  async function answer(
    prepared: Prepared,
    asked: Asked,
    root: Picked,
    errors: ShownError[],
    written: { length: number },
  ): Promise<Field> {
    try {
      const { deadline } = asked
      if (deadline.isPassed()) await deadline.passed
      const found = await Promise.race([resolve(prepared, asked, root), deadline.passed])
      const text = found.write({ path: [root.key], errors })
      // Introspection is as long as the schema is.
      if (root.meaning) written.length += text?.length ?? 0
      checkLength(written)
      return { root, text, typeNos: found.typeNos }
    } catch (error) {
      const shown = asked.request.server.isUnavailable(error) ? storageUnavailable(error) : error
      if (isFault(shown)) deps.report(error, asked.request)
      errors.push(renderFieldError(shown, { path: [root.key], locations: locationsOf(root.node) }))
      return { root, text: null, typeNos: null }
    }
  }

  async function resolve(prepared: Prepared, asked: Asked, root: Picked): Promise<Answer> {
    const { meaning, name, parent } = root
    switch (meaning?.of) {
      case 'list':
        return meaning.to === 'files'
          ? reads.files(asked, root)
          : reads.list(asked, root, meaning.to)
      case 'one':
        return meaning.to === 'files' ? reads.file(asked, root) : reads.one(asked, root, meaning.to)
      case 'single':
        return reads.single(asked, root, meaning.to)
      case 'node':
        return reads.node(asked, root)
      case 'locales':
        return readLocales(asked, root)
      case 'change':
        return writes.change(asked, root, meaning)
      case 'fileChange':
        return writes.changeFile(asked, root, meaning.action)
      default:
        if (name === '__typename') return { write: () => JSON.stringify(parent), typeNos: [] }
        return readIntrospection(prepared, asked, root)
    }
  }
}

async function oneByOne(
  roots: readonly Picked[],
  answerOf: (root: Picked) => Promise<Field>,
): Promise<Field[]> {
  const fields: Field[] = []
  for (const root of roots) fields.push(await answerOf(root))
  return fields
}

function typesOf(fields: readonly Field[]): readonly number[] | null {
  const found = new Set<number>()
  for (const { typeNos } of fields) {
    if (!typeNos) return null
    for (const no of typeNos) found.add(no)
  }
  return [...found]
}

/** Of ours, not of the question. */
function isFault(error: unknown): boolean {
  if (error instanceof DomainError) return error.kind === 'internal'
  return !(error instanceof GraphQLError || error instanceof Refused)
}

/** A field that must have a value and has none leaves no data at all. */
function render(fields: readonly Field[], errors: readonly ShownError[]): string {
  const told = errors.length > 0 ? `"errors":${JSON.stringify(errors)},` : ''
  if (fields.some(({ root, text }) => text === null && root.isSure)) return `{${told}"data":null}`
  const members = fields.map(({ root, text }) => `${JSON.stringify(root.key)}:${text ?? 'null'}`)
  return `{${told}"data":{${members.join()}}}`
}
