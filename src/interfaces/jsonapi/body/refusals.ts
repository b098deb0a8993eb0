import { wireKindOf } from '#content'
import { COMPONENT_MEMBER } from '#content-dialect'
import { type Attribute, isScalar } from '#content-model'
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
    if (attribute.type === 'dynamiczone') return ['data', 'attributes', wire, ...inBlock(rest)]
    // The slug may have been said by the path it makes.
    if (name === type.slugField && isSent('path', 'alias') && !isSent(wire)) {
      return ['data', 'attributes', 'path', 'alias']
    }
    const inner = partOf(attribute, wire, rule)
    return ['data', 'attributes', wire, ...inner, ...rest]
  }

  function isSent(...names: string[]): boolean {
    return !('field' in sourceIn(document, ['data', 'attributes', ...names]))
  }

  /** Which member of rich text is meant, where it was sent with its format. */
  function partOf(attribute: Attribute, wire: string, rule: string): Path {
    const kind = isScalar(attribute) ? wireKindOf(attribute) : undefined
    if (kind !== 'markup' && kind !== 'blocks') return []
    if (rule === 'format') return ['format']
    return kind === 'markup' || !isSent(wire, 'value') ? [] : ['value']
  }

  /** What the store has beside each other stands in `attributes` of the block. */
  function inBlock([index, member, ...rest]: Path): Path {
    if (index === undefined || member === undefined) return index === undefined ? [] : [index]
    if (member === COMPONENT_MEMBER) return [index, 'type']
    return member === 'id' ? [index, member] : [index, 'attributes', member, ...rest]
  }

  /** The label, when that was the name that was sent. */
  function wireName(name: string): string {
    const [wire = name] = [...names.writable].find(([, each]) => each.name === name) ?? []
    const isLabel = name === names.labelField && !names.isLabelField && !isSent(wire)
    return isLabel ? names.label : wire
  }
}

const SYSTEM: ReadonlyMap<string, Path> = new Map([
  ['locale', ['attributes', 'langcode']],
  ['documentId', ['id']],
])

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
