import {
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  syntaxError,
  type Token,
} from 'graphql'
import { createAskedAgain } from '#http-text'
import { type Refused, refused, refusedAt, refusedFor } from '../errors.ts'
import type { Form, Schema, Schemas } from '../schema.ts'
import { type Steps, stepsIn } from './cost.ts'
import { checkExtent, checkText, type Fragments, fragmentsIn, type Limits } from './limits.ts'
import { findConflict } from './overlaps.ts'
import { type Picked, pickFields } from './picked.ts'
import type { Fault } from './rules/faults.ts'
import { validateDocument } from './rules.ts'

/** A document that was parsed, measured and validated against one of the schemas. */
export interface Prepared {
  readonly schema: Schema
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly fragments: Fragments
  /** The fields of the root, which depend on variables where `@skip` and `@include` name some. */
  rootsFor(variables: Readonly<Record<string, unknown>>): Roots
}

interface Roots extends Steps {
  readonly roots: readonly Picked[]
}

/** Characters of documents that are kept, and of one of them; parsed they take about a hundred times as much. */
const MOST_KEPT = 500_000
const LONGEST_KEPT = 20_000
const TEXTS_NOTED = 4_096

/** They are no tokens of the language, but the parser keeps them as if they were. */
const MOST_COMMENTS = 1_000

/** More tell nobody more, and each costs. */
const MOST_FAULTS = 5

export interface DocumentSettings extends Limits {
  readonly introspection: boolean
}

/** At `/graphql` what the CMS schema refuses may be meant for one of the others (contract §1). */
const TRIED: Readonly<Record<Form, readonly Form[]>> = {
  cms: ['cms', 'offset', 'connection'],
  offset: ['offset'],
  connection: ['connection'],
}

/**
 * Prepares documents; those that come again are kept: the same text and operation under the same schemas,
 * limits and settings is prepared the same, whatever its variables are. A refused document is not kept.
 */
export function createDocuments(schemas: Schemas) {
  const cache = createDocumentCache<Prepared>(MOST_KEPT)
  const isAskedAgain = createAskedAgain(TEXTS_NOTED)
  return { prepare }

  async function prepare(
    form: Form,
    text: string,
    operationName: string | null,
    settings: DocumentSettings,
  ): Promise<Prepared> {
    const own = schemas.get(form)
    const first = own instanceof Promise ? await own : own
    const limits = Object.values(settings).join(' ')
    const key = `${form} ${first.model.revision} ${limits} ${operationName ?? ''}\n${text}`
    const known = cache.find(key)
    if (known) return known
    const made = await make(form, text, operationName, settings)
    // While schemas are renewed another one may still be of the model before.
    const isOfKey = made.schema.model === first.model
    const isKept = isOfKey && text.length <= LONGEST_KEPT && isAskedAgain(key)
    return isKept ? cache.keep(key, made) : made
  }

  async function make(
    form: Form,
    text: string,
    operationName: string | null,
    settings: DocumentSettings,
  ): Promise<Prepared> {
    const document = parseText(text, settings)
    const fragments = fragmentsIn(document)
    checkExtent(document, fragments, settings)
    let refusal: Refused | undefined
    for (const tried of TRIED[form]) {
      const schema = await schemas.get(tried)
      // Of the others only whether it is right; the first fault ends the search.
      const most = refusal ? 1 : MOST_FAULTS
      const faults = faultsOf(schema, document, fragments, settings, most)
      if (faults.length === 0) return toPrepared(schema, document, fragments, operationName)
      refusal ??= refusedAt(faults)
    }
    throw refusal ?? new Error('no schema was tried')
  }
}

function parseText(text: string, { maxTokens }: Limits): DocumentNode {
  checkText(text)
  try {
    const document = parse(text, { maxLexicalTokens: maxTokens, maxComments: MOST_COMMENTS })
    refuseUnstorable(document)
    return document
  } catch (error) {
    if (error instanceof GraphQLError) throw refusedFor([error], 'GRAPHQL_PARSE_FAILED')
    throw error
  }
}

/** What a body must not hold (content model §3.1), an escape within a string of the document can. */
function refuseUnstorable({ loc }: DocumentNode): void {
  if (!loc) return
  for (let token: Token | null = loc.startToken; token; token = token.next) {
    if (!token.value?.includes('\0')) continue
    throw syntaxError(loc.source, token.start, 'text must not contain U+0000')
  }
}

function faultsOf(
  { schema }: Schema,
  document: DocumentNode,
  fragments: Fragments,
  { introspection }: DocumentSettings,
  most: number,
): readonly Fault[] {
  const faults = validateDocument(schema, document, fragments, introspection, most)
  if (faults.length > 0) return faults
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const conflict = findConflict(schema, definition, fragments)
    if (conflict) return [conflict]
  }
  return []
}

function toPrepared(
  schema: Schema,
  document: DocumentNode,
  fragments: Fragments,
  operationName: string | null,
): Prepared {
  const operation = chosenOperation(document, operationName)
  const root = schema.schema.getRootType(operation.operation)
  if (!root) throw refused('GRAPHQL_VALIDATION_FAILED', `There is no ${operation.operation} here`)
  const flags = flagsIn(document)
  const variants = new Map<string, Roots>()
  return { schema, document, operation, fragments, rootsFor }

  /** At most as many variants are kept as a few flags can have. */
  function rootsFor(variables: Readonly<Record<string, unknown>>): Roots {
    const missing = flags.find((name) => variables[name] === null)
    if (missing !== undefined) {
      const message = `Variable "$${missing}" decides what is shown: it must be true or false, not null`
      throw refused('BAD_USER_INPUT', message)
    }
    const bits = flags.map((name) => (variables[name] === true ? '1' : '0')).join('')
    const known = variants.get(bits)
    if (known) return known
    const counts = (selection: SelectionNode) => isCounted(selection, variables)
    const roots = root ? pickFields(schema, root, operation.selectionSet, fragments, counts) : []
    const made = { roots, ...stepsIn(roots) }
    if (variants.size < 16) variants.set(bits, made)
    return made
  }
}

function chosenOperation(
  { definitions }: DocumentNode,
  name: string | null,
): OperationDefinitionNode {
  const operations = definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION)
  const [first] = operations
  if (name === null) {
    if (first && operations.length === 1) return first
    const message = first
      ? 'operationName must say which operation is meant'
      : 'There is no operation'
    throw refused('BAD_USER_INPUT', message)
  }
  const named = operations.find((operation) => operation.name?.value === name)
  if (!named) throw refused('BAD_USER_INPUT', `There is no operation ${name}`)
  return named
}

/** The variables that decide what counts. */
function flagsIn({ definitions }: DocumentNode): readonly string[] {
  const found = new Set<string>()
  for (const definition of definitions) {
    if ('selectionSet' in definition) look(definition.selectionSet)
  }
  return [...found]

  function look({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      for (const directive of selection.directives ?? []) {
        const value = ifOf(directive)
        if (value?.kind === Kind.VARIABLE) found.add(value.name.value)
      }
      if ('selectionSet' in selection && selection.selectionSet) look(selection.selectionSet)
    }
  }
}

function ifOf({ arguments: given }: DirectiveNode) {
  return given?.find(({ name }) => name.value === 'if')?.value
}

function isCounted(
  { directives = [] }: SelectionNode,
  variables: Readonly<Record<string, unknown>>,
): boolean {
  return directives.every((directive) => {
    const value = ifOf(directive)
    const isSo =
      value?.kind === Kind.VARIABLE
        ? variables[value.name.value] === true
        : value?.kind === Kind.BOOLEAN && value.value
    if (directive.name.value === 'skip') return !isSo
    return directive.name.value !== 'include' || isSo
  })
}

/**
 * A cache whose size is bounded by the length of its keys, because values are some multiple of it: texts
 * of strangers. What was not used while as many others came is forgotten.
 */
export function createDocumentCache<Value>(mostCharacters: number) {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  let length = 0
  return { find, keep }

  function find(key: string): Value | undefined {
    const known = young.get(key)
    if (known !== undefined) return known
    const before = old.get(key)
    return before === undefined ? undefined : keep(key, before)
  }

  function keep(key: string, value: Value): Value {
    if (length + key.length > mostCharacters / 2) {
      old = young
      young = new Map()
      length = 0
    }
    length += key.length
    young.set(key, value)
    return value
  }
}
