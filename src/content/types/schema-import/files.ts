import { DomainError, type Issue, isObject } from '#kernel'
import { issue } from '../parse-attribute.ts'

export type Json = Readonly<Record<string, unknown>>

/** One `schema.json` of a content type, as it lies in a project of the modelled system. */
export interface TypeFile {
  readonly at: Issue['path']
  readonly schema: Json
}

/** The same of a component; its file does not say what it is called, its place does. */
export interface ComponentFile extends TypeFile {
  readonly uid: string
}

export interface SchemaFiles {
  readonly types: readonly TypeFile[]
  readonly components: readonly ComponentFile[]
}

interface Found extends TypeFile {
  readonly uid: string | undefined
}

/** More in one request are no project. */
const MOST = 500

/**
 * The files of a request, in whichever of these forms: a list of them; `{ contentTypes, components }`, lists or objects
 * by uid; `{ files }` by path. Each is the file as it is, or as the modelled system's own API shows it, with its
 * `schema` inside.
 */
export function readFiles(body: unknown): SchemaFiles {
  const found = gather(body)
  const issues: Issue[] = []
  if (found.length === 0) {
    issues.push(issue(['contentTypes'], 'required', 'must have at least one schema'))
  }
  if (found.length > MOST) {
    issues.push(issue(['contentTypes'], 'maxItems', `must have at most ${MOST} schemas`))
  }
  const types: TypeFile[] = []
  const unnamed: Found[] = []
  for (const file of found) {
    if (!isObject(file.schema['attributes'] ?? {})) {
      issues.push(issue([...file.at, 'attributes'], 'type', 'must be an object'))
    } else if (isType(file.schema)) types.push(file)
    else unnamed.push(file)
  }
  const known = componentsNamedIn(found)
  const components = unnamed.flatMap((file) => {
    const uid = file.uid ?? guessUid(file.schema, known)
    if (uid !== undefined) return [{ ...file, uid }]
    const sentence =
      'is no content type, and says not which component it is: add uid, such as shared.seo'
    issues.push(issue(file.at, 'required', sentence))
    return []
  })
  if (issues.length === 0) return { types, components }
  const message = issues.map((each) => each.message).join('; ')
  throw new DomainError('invalid', 'validation_error', message, { issues })
}

function gather(body: unknown): Found[] {
  if (Array.isArray(body)) return listed(body, [])
  if (!isObject(body)) return []
  const { contentTypes, components, files, data } = body
  return [
    ...within(contentTypes, ['contentTypes']),
    ...within(components, ['components']),
    ...within(data, ['data']),
    ...byPath(files),
  ]
}

function within(value: unknown, at: Issue['path']): Found[] {
  if (Array.isArray(value)) return listed(value, at)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([uid, file]) => toFound(file, [...at, uid], uid))
}

function listed(list: readonly unknown[], at: Issue['path']): Found[] {
  return list.flatMap((file, index) => toFound(file, [...at, index]))
}

/** `src/components/shared/seo.json` is the component `shared.seo`; what else is there is no schema. */
function byPath(files: unknown): Found[] {
  if (!isObject(files)) return []
  return Object.entries(files).flatMap(([path, file]) => {
    const [, category, name] = /components\/([^/]+)\/([^/]+)\.json$/.exec(path) ?? []
    if (category !== undefined) return toFound(file, ['files', path], `${category}.${name}`)
    return /(^|\/)schema\.json$/.test(path) ? toFound(file, ['files', path]) : []
  })
}

function toFound(file: unknown, at: Issue['path'], given?: string): Found[] {
  if (!isObject(file)) return [{ at, schema: {}, uid: undefined }]
  const { schema, ...outside } = file
  const whole = isObject(schema) ? { ...outside, ...schema } : file
  const uid = typeof file['uid'] === 'string' ? file['uid'] : given
  return [{ at, schema: whole, uid }]
}

function isType(schema: Json): boolean {
  const { kind, singularName, info } = schema
  if (typeof kind === 'string' || typeof singularName === 'string') return true
  return isObject(info) && typeof info['singularName'] === 'string'
}

/** Every component that some attribute names. */
function componentsNamedIn(files: readonly TypeFile[]): string[] {
  const named = files.flatMap(({ schema }) => {
    const attributes = isObject(schema['attributes']) ? Object.values(schema['attributes']) : []
    return attributes.flatMap((attribute) => {
      if (!isObject(attribute)) return []
      const { component, components } = attribute
      return [component, ...(Array.isArray(components) ? components : [])]
    })
  })
  return [...new Set(named.filter((uid) => typeof uid === 'string'))]
}

/** The name of its table begins with its own: `components_shared_seos`; the longest that does is meant. */
function guessUid({ collectionName }: Json, known: readonly string[]): string | undefined {
  if (typeof collectionName !== 'string') return undefined
  const tableOf = (uid: string) => `components_${uid.replaceAll(/[.-]/g, '_')}`
  const fitting = known.filter((uid) =>
    collectionName.replaceAll('-', '_').startsWith(tableOf(uid)),
  )
  return fitting.sort((one, other) => other.length - one.length)[0]
}
