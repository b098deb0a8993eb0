import { type Attribute, isScalar, wireKindOf } from '#content'
import { DomainError, type Issue } from '#kernel'
import { issueAt } from '../errors.ts'
import type { EntryResource } from '../target/catalogue.ts'
import { isLinking } from '../target/names.ts'
import { type JsonObject, sourceIn } from './document.ts'

type Path = readonly (string | number)[]

/** Refusals of the store in the words of this dialect, with pointers into the body (contract §10). */
export function withPointers(
  error: unknown,
  { names, type }: EntryResource,
  document: JsonObject,
): unknown {
  if (!(error instanceof DomainError)) return error
  const issues = error.issues.map(({ path, rule, message }) =>
    issueAt(sourceIn(document, toMember(path, rule)), ruleOf(error, rule), message),
  )
  const { kind, code, message } = error
  if (code === 'invalid_reference' && kind === 'unprocessable') {
    return new DomainError('not_found', 'target_not_found', message, { issues })
  }
  if (kind === 'invalid') {
    return new DomainError('unprocessable', 'validation_error', message, { issues })
  }
  const isOfInput = kind === 'unprocessable' || kind === 'conflict'
  return isOfInput ? new DomainError(kind, code, message, { issues }) : error

  function toMember([name = '', ...rest]: Path, rule: string): Path {
    const system = SYSTEM.get(String(name))
    if (system) return ['data', ...system]
    const attribute = type.attribute.get(String(name))
    if (!attribute) return ['data', 'attributes', String(name)]
    const wire = wireName(attribute.name)
    if (isLinking(attribute)) return ['data', 'relationships', wire, 'data', ...rest]
    const inner = isMarkup(attribute) && rule === 'format' ? ['format'] : []
    return ['data', 'attributes', wire, ...inner, ...rest]
  }

  /** The label, when that was the name that was sent. */
  function wireName(name: string): string {
    const [wire = name] = [...names.writable].find(([, each]) => each.name === name) ?? []
    const sent = sourceIn(document, ['data', 'attributes', wire])
    const isLabel = name === names.labelField && !names.isLabelField && 'field' in sent
    return isLabel ? names.label : wire
  }
}

const SYSTEM: ReadonlyMap<string, Path> = new Map([
  ['locale', ['attributes', 'langcode']],
  ['documentId', ['id']],
])

function isMarkup(attribute: Attribute): boolean {
  return isScalar(attribute) && wireKindOf(attribute) === 'markup'
}

function ruleOf({ code }: DomainError, rule: string): string {
  return code === 'invalid_reference' ? 'target_not_found' : rule
}

/** Everything that is wrong at once: our own findings and those of the store. */
export function refuseAll(own: readonly Issue[], others: unknown): DomainError {
  const more = others instanceof DomainError && others.kind === 'unprocessable' ? others.issues : []
  const issues = [...own, ...more]
  const [first] = issues
  const message =
    issues.length === 1 && first ? first.message : `${issues.length} members are not valid`
  return new DomainError('unprocessable', 'validation_error', message, { issues })
}
