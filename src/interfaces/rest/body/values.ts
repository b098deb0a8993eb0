import { mapParts } from '#content-dialect'
import type { Attribute, ContentModel, FieldSet } from '#content-model'
import { DomainError, type Issue, invalid } from '#kernel'
import { isReference } from '../query/members.ts'

type Path = readonly (string | number)[]
type Given = Readonly<Record<string, unknown>>

/** `author_id` is the relation `author`, in components too; `renamed` remembers who said so. */
export function toValues(
  model: ContentModel,
  set: FieldSet,
  given: Given,
  path: Path,
  renamed: Map<string, string>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const attribute = set.attribute.get(name)
    const reference = attribute ? undefined : referenceOf(set, name)
    if (reference) {
      if (Object.hasOwn(given, reference.name)) throw twice(path, reference.name)
      renamed.set(keyOf([...path, reference.name]), name)
      values[reference.name] = value
    } else {
      values[name] = mapParts(model, attribute, value, (component, part, at) =>
        toValues(model, component, part, [...path, name, ...at], renamed),
      )
    }
  }
  return values
}

function referenceOf(set: FieldSet, name: string): Attribute | undefined {
  const attribute = name.endsWith('_id') ? set.attribute.get(name.slice(0, -3)) : undefined
  return attribute && isReference(attribute) ? attribute : undefined
}

export function rename(error: unknown, renamed: ReadonlyMap<string, string>): unknown {
  if (!(error instanceof DomainError) || renamed.size === 0) return error
  const { kind, code, facts, headers } = error
  let { message } = error
  const issues = error.issues.map((each) => {
    const path = each.path.map(
      (segment, index) => renamed.get(keyOf(each.path.slice(0, index + 1))) ?? segment,
    )
    const said = inNamesOf(path, each)
    message = message.replace(each.message, () => said)
    return { ...each, path, message: said }
  })
  return new DomainError(kind, code, message, { issues, facts, headers, cause: error })
}

/** A message begins with the names that it is about. */
function inNamesOf(path: Path, { path: was, message }: Issue): string {
  const names = was.join('.')
  return message.startsWith(`${names} `)
    ? `${path.join('.')}${message.slice(names.length)}`
    : message
}

function keyOf(path: Path): string {
  return path.join('\0')
}

function twice(path: Path, name: string): DomainError {
  const message = `${name} and ${name}_id cannot be given together`
  return invalid([{ path: [...path, name], rule: 'conflict', message }])
}
