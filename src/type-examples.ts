/** Examples of one content type made into those of another: same members around, its own attributes inside. */
import { urlNameOf } from '#content-dialect'
import { type Attribute, type ContentModel, type ContentType, isToMany } from '#content-model'
import type { Example, ExampleOf } from '#http'

/** The type with an attribute of every kind that tests asked about. */
export interface Reference {
  readonly singularName: string
  readonly pluralName: string
  /** Kinds by name: `{ "title": "string", "rank": "integer" }`. */
  readonly attributes: Readonly<Record<string, string>>
}

interface Deps {
  readonly reference: Reference
  readonly operations: Readonly<Record<string, Example>>
  readonly model: ContentModel
}

type Members = Readonly<Record<string, unknown>>

/** An object with so many attributes of the reference holds an entry's values. */
const ENOUGH = 4
/** REST names a link by its id beside the name of the relation. */
const SUFFIXES = ['', '_id', '_ids']

const OF_LANGUAGES = ['locale', 'localizations']
const OF_DRAFTS = ['status', 'published_at', 'publishedAt']

export function createTypeExamples({ reference, operations, model }: Deps): ExampleOf {
  const byName = new Map(
    model.types.flatMap((type) => [[urlNameOf(type), type] as const, [type.singularName, type]]),
  )
  return (method, path) => {
    const found = locate(path)
    const example = found && operations[`${method} ${found.path}`]
    return example && adapted(example, found.type)
  }

  /** The path with `{type}` in it, and the type whose entries it shows. */
  function locate(path: string): { path: string; type: ContentType } | undefined {
    const steps = path.split('/')
    const index = steps.findIndex((step, position) => position > 1 && byName.has(step))
    const type = byName.get(steps[index] ?? '')
    if (!type) return undefined
    const [before, behind] = [steps.slice(0, index), steps.slice(index + 1)]
    const relation = type.attributes.find(({ name }) => name === behind.at(-1))
    // There is only one of it, so its address has no id, but in JSON:API.
    const isSingle = type.kind === 'singleType' && before[1] !== 'jsonapi'
    const named = isSingle ? ['{type}', '{id}'] : ['{type}']
    const at = (...end: readonly string[]) => [...before, ...named, ...end].join('/')
    if (relation?.type === 'media') return { path: at(...behind.slice(0, -1), '{media}'), type }
    if (relation?.type !== 'relation') return { path: at(...behind), type }
    if (behind.at(-2) === 'relationships') {
      const end = isToMany(relation) ? '{relations}' : '{relation}'
      return { path: at(...behind.slice(0, -1), end), type }
    }
    // What is answered are entries of the other type, as if they were asked for there.
    const other = model.findType(relation.target)
    const rest = isToMany(relation) ? [] : ['{id}']
    return other && { path: [...before, '{type}', ...rest].join('/'), type: other }
  }

  function adapted({ status, ...bodies }: Example, type: ContentType): Example {
    const members = Object.entries(bodies).map(([name, body]) => [name, adapt(body, type)])
    return { status, ...Object.fromEntries(members) }
  }

  function adapt(value: unknown, type: ContentType): unknown {
    if (typeof value === 'string') return renamed(value, type)
    if (Array.isArray(value)) return value.map((item) => adapt(item, type))
    if (typeof value !== 'object' || value === null) return value
    const members: Members = { ...value }
    const own = Object.keys(members).filter((name) => kindOf(name) !== undefined)
    const isOfEntry =
      own.length >= ENOUGH || (own.length > 0 && own.length === Object.keys(members).length)
    const others = Object.entries(members)
      .filter(([name]) => !isOfEntry || (kindOf(name) === undefined && has(type, name, members)))
      .map(([name, member]) => [name, adapt(member, type)])
    if (!isOfEntry) return Object.fromEntries(others)
    return { ...valuesOf(members, type), ...Object.fromEntries(others) }
  }

  function valuesOf(members: Members, type: ContentType): Members {
    const pairs = type.attributes.flatMap((attribute) => {
      const like = Object.keys(members).find((name) => kindOf(name) === kindFor(attribute))
      if (like === undefined || ('private' in attribute && attribute.private)) return []
      const suffix = like in reference.attributes ? '' : like.slice(like.lastIndexOf('_'))
      return [[`${attribute.name}${suffix}`, exampleFor(attribute, members[like], type)]]
    })
    return Object.fromEntries(pairs)
  }

  function exampleFor(attribute: Attribute, recorded: unknown, type: ContentType): unknown {
    return attribute.type === 'enumeration' ? attribute.enum[0] : adapt(recorded, type)
  }

  function kindOf(member: string): string | undefined {
    for (const suffix of SUFFIXES) {
      if (!member.endsWith(suffix)) continue
      const kind = reference.attributes[member.slice(0, member.length - suffix.length)]
      if (kind !== undefined) return kind
    }
    return undefined
  }

  /** Names of types, and addresses that have them in it. */
  function renamed(text: string, type: ContentType): string {
    const { singularName, pluralName } = reference
    if (text === singularName) return type.singularName
    if (text === pluralName) return type.pluralName
    if (!/^(https?:|\/)|--/.test(text)) return text
    return text
      .replaceAll(new RegExp(`\\b${pluralName}\\b`, 'g'), type.pluralName)
      .replaceAll(new RegExp(`\\b${singularName}\\b`, 'g'), type.singularName)
  }
}

/** Types without languages or drafts have no members for them, but in JSON:API, where every entry has all. */
function has({ localized, draftAndPublish }: ContentType, name: string, members: Members): boolean {
  if ('drupal_internal__nid' in members) return true
  if (OF_LANGUAGES.includes(name)) return localized
  return draftAndPublish || !OF_DRAFTS.includes(name)
}

/** Links to one and to many look different. */
function kindFor(attribute: Attribute): string {
  if (attribute.type === 'relation') return isToMany(attribute) ? 'relations' : 'relation'
  if (attribute.type === 'component') return attribute.repeatable ? 'components' : 'component'
  return attribute.type
}
