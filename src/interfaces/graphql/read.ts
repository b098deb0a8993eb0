import { GraphQLError, getVariableValues } from 'graphql'
import { DomainError } from '#kernel'
import type { GraphqlDeps } from './deps.ts'
import { Refused, refused, refusedFor, renderFieldError, type ShownError } from './errors.ts'
import { checkHops, costOf } from './query/cost.ts'
import type { DocumentSettings, Prepared } from './query/document.ts'
import type { Picked } from './query/picked.ts'
import { readIntrospection } from './read/introspection.ts'
import { readLocales } from './read/locales.ts'
import { type Answer, createRootReads } from './read/root.ts'
import { checkLength, locationsOf } from './render/writing.ts'
import type { Asked } from './request.ts'
import { createWrites } from './write.ts'

/** The whole answer, and what it could have cost. */
interface Executed {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

interface Field {
  readonly root: Picked
  readonly text: string | null
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
    const definitions = operation.variableDefinitions ?? []
    const { variableValues, errors: faults } = getVariableValues(
      schema.schema,
      definitions,
      given,
      {
        maxErrors: 10,
        hideSuggestions: true,
      },
    )
    if (!variableValues) throw refusedFor(faults, 'BAD_USER_INPUT')
    const roots = prepared.rootsFor(variableValues.coerced)
    const headers = checkCost(roots, variableValues, settings)
    const whole = { ...asked, schema, model: schema.model, variables: variableValues }
    const errors: ShownError[] = []
    const written = { length: 0 }
    const answerOf = (root: Picked) => answer(prepared, whole, root, errors, written)
    const fields =
      operation.operation === 'mutation'
        ? await oneByOne(roots, answerOf)
        : await Promise.all(roots.map(answerOf))
    return { text: render(fields, errors), headers }
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
      const write = await Promise.race([resolve(prepared, asked, root), deadline.passed])
      const text = write({ path: [root.key], errors })
      // Introspection is as long as the schema is.
      if (root.meaning) written.length += text?.length ?? 0
      checkLength(written)
      return { root, text }
    } catch (error) {
      if (isFault(error)) deps.report(error, asked.request)
      errors.push(renderFieldError(error, { path: [root.key], locations: locationsOf(root.node) }))
      return { root, text: null }
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
        if (name === '__typename') return () => JSON.stringify(parent)
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

/** Of ours, not of the question. */
function isFault(error: unknown): boolean {
  if (error instanceof DomainError) return error.kind === 'internal'
  return !(error instanceof GraphQLError || error instanceof Refused)
}

/** Fields whose depth was found good: they are prepared anew when a limit changes. */
const measured = new WeakSet<readonly Picked[]>()

/** Aliases repeat values; more than so many of each entry, on average, nobody needs. */
const VALUES_PER_ENTRY = 50

/** Before anything is read; the answer says what it could have cost. */
function checkCost(
  roots: readonly Picked[],
  variables: Asked['variables'],
  settings: DocumentSettings,
): Executed['headers'] {
  if (!measured.has(roots)) checkHops(roots, settings)
  measured.add(roots)
  const { maxCost: limit } = settings
  const { cost, values } = costOf(roots, variables)
  const headers = { 'x-query-cost': String(cost), 'x-query-cost-limit': String(limit) }
  if (cost > limit) {
    const message = `The query could show ${cost} entries, the limit is ${limit}`
    throw refused('QUERY_TOO_COMPLEX', message, { cost, limit }, headers)
  }
  const most = limit * VALUES_PER_ENTRY
  if (values <= most) return headers
  const message = `The query could show ${values} values, the limit is ${most}`
  throw refused('QUERY_TOO_COMPLEX', message, {}, headers)
}

/** A field that must have a value and has none leaves no data at all. */
function render(fields: readonly Field[], errors: readonly ShownError[]): string {
  const told = errors.length > 0 ? `"errors":${JSON.stringify(errors)},` : ''
  if (fields.some(({ root, text }) => text === null && root.isSure)) return `{${told}"data":null}`
  const members = fields.map(({ root, text }) => `${JSON.stringify(root.key)}:${text ?? 'null'}`)
  return `{${told}"data":{${members.join()}}}`
}
