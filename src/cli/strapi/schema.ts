import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isObject, OperatorError } from '#kernel'
import { messageOf, type Peer } from './http.ts'

export type Json = Readonly<Record<string, unknown>>

export interface SourceType {
  readonly uid: string
  readonly singularName: string
  readonly pluralName: string
  readonly isSingle: boolean
  readonly hasDrafts: boolean
  readonly isLocalized: boolean
  readonly attributes: Readonly<Record<string, Json>>
}

export interface SourceModel {
  readonly types: readonly SourceType[]
  /** Attributes of components by uid. */
  readonly components: ReadonlyMap<string, Readonly<Record<string, Json>>>
  /** As the server takes them: `POST /api/v1/content-types/import`. */
  readonly schemas: { readonly contentTypes: Json; readonly components: Json }
}

const NEXT =
  'use a token of type "Full access" (Settings → API Tokens), or name the project\'s directory with --schema'

/** The types of a running Strapi, as its content type builder shows them. */
export async function readSchemaOf(source: Peer): Promise<SourceModel> {
  const types = await listOf(source, '/api/content-type-builder/content-types')
  const components = await listOf(source, '/api/content-type-builder/components')
  return toModel(byUid(types), byUid(components))
}

async function listOf(source: Peer, path: string): Promise<readonly Json[]> {
  const answer = await source.get(path)
  const data = isObject(answer.body) ? answer.body['data'] : undefined
  if (answer.status === 200 && Array.isArray(data)) return data.filter(isObject)
  const isRefused = answer.status === 401 || answer.status === 403
  if (isRefused) throw new OperatorError(`${source.url} does not show its types: ${NEXT}`)
  throw new OperatorError(
    `${source.url}${path} ${messageOf(answer)}: is it a Strapi 5? Otherwise name the project's directory with --schema`,
  )
}

function byUid(list: readonly Json[]): Map<string, Json> {
  return new Map(
    list.map(({ uid, schema, ...outside }) => [
      String(uid),
      { ...outside, ...(isObject(schema) ? schema : {}) },
    ]),
  )
}

/** The same from the files of the project, for a server that does not show them. */
export async function readSchemaIn(directory: string): Promise<SourceModel> {
  const types = new Map<string, Json>()
  const components = new Map<string, Json>()
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    (error) => {
      throw new OperatorError(`${directory} cannot be read`, error)
    },
  )
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    const steps = relative(directory, path).split(sep)
    if (!entry.isFile() || steps.includes('node_modules') || !entry.name.endsWith('.json')) continue
    const [category, name] = [steps.at(-2), entry.name.slice(0, -'.json'.length)]
    if (entry.name === 'schema.json' && steps.includes('content-types')) {
      types.set(`api::${steps.at(-4)}.${category}`, await readJson(path))
    } else if (steps.at(-3) === 'components')
      components.set(`${category}.${name}`, await readJson(path))
  }
  if (types.size > 0) return toModel(types, components)
  throw new OperatorError(
    `${directory} has no src/api/*/content-types/*/schema.json: name the directory of the Strapi project`,
  )
}

async function readJson(path: string): Promise<Json> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (isObject(value)) return value
  } catch (error) {
    throw new OperatorError(`${path} is not JSON`, error)
  }
  throw new OperatorError(`${path} is not a schema`)
}

function toModel(
  all: ReadonlyMap<string, Json>,
  components: ReadonlyMap<string, Json>,
): SourceModel {
  const own = [...all].filter(([uid]) => uid.startsWith('api::'))
  const plain = (map: Iterable<readonly [string, Json]>) =>
    Object.fromEntries(
      [...map].map(([uid, schema]) => [uid, { ...schema, attributes: attributesOf(schema) }]),
    )
  return {
    types: own.map(([uid, schema]) => toType(uid, schema)),
    components: new Map([...components].map(([uid, schema]) => [uid, attributesOf(schema)])),
    schemas: { contentTypes: plain(own), components: plain(components) },
  }
}

function toType(uid: string, schema: Json): SourceType {
  const info = isObject(schema['info']) ? { ...schema, ...schema['info'] } : schema
  const options = isObject(schema['options']) ? { ...schema, ...schema['options'] } : schema
  const plugins = isObject(schema['pluginOptions']) ? schema['pluginOptions'] : {}
  const i18n = isObject(plugins['i18n']) ? plugins['i18n'] : {}
  return {
    uid,
    singularName: String(info['singularName']),
    pluralName: String(info['pluralName']),
    isSingle: schema['kind'] === 'singleType',
    hasDrafts: options['draftAndPublish'] === true,
    isLocalized: i18n['localized'] === true,
    attributes: attributesOf(schema),
  }
}

/** The content type builder repeats the other end of a relation, which its definition says itself. */
function attributesOf({ attributes }: Json): Record<string, Json> {
  const named = Object.entries(isObject(attributes) ? attributes : {})
  return Object.fromEntries(
    named.map(([name, raw]) => {
      const { targetAttribute: _repeated, ...attribute } = isObject(raw) ? raw : {}
      return [name, attribute]
    }),
  )
}
