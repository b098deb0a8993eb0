import { isObject } from '#kernel'
import { ATTRIBUTE_NAME, isReservedAttribute } from '../names.ts'
import type { NewComponentBody, NewContentTypeBody } from '../schemas.ts'
import { translateAttribute } from './attributes.ts'
import type { ComponentFile, Json, SchemaFiles, TypeFile } from './files.ts'

/** What has no counterpart here, or another name. */
export interface ImportNote {
  readonly contentType?: string
  readonly component?: string
  readonly attribute?: string
  readonly message: string
}

export interface Translation {
  readonly types: readonly { readonly body: NewContentTypeBody; readonly at: TypeFile['at'] }[]
  readonly components: readonly { readonly body: NewComponentBody; readonly at: TypeFile['at'] }[]
  readonly notes: readonly ImportNote[]
}

/** What is in the store already. */
interface Existing {
  findType(name: string): { readonly singularName: string } | undefined
  findComponent(uid: string): object | undefined
}

/** `api::article.article`, and as old files write it `article`. */
const TYPE_UID = /^(?:api::([\w-]+)\.)?([\w-]+)$/

/** Schema files of the modelled system as definitions of ours, and what of them could not be taken over. */
export function translateSchemas(files: SchemaFiles, existing: Existing): Translation {
  const notes: ImportNote[] = []
  const imported = new Map(files.types.map((file) => [singularOf(file.schema), file]))
  const components = new Set(files.components.map(({ uid }) => uid))
  return {
    types: files.types.map((file) => ({ body: toType(file), at: file.at })),
    components: files.components.map((file) => ({ body: toComponent(file), at: file.at })),
    notes,
  }

  function toType({ schema }: TypeFile): NewContentTypeBody {
    const contentType = singularOf(schema)
    const { displayName, description, pluralName } = membersOf(schema)
    const isLocalized = localizedOf(schema)
    return {
      kind: schema['kind'] === 'singleType' ? 'singleType' : 'collectionType',
      singularName: contentType,
      pluralName: String(pluralName ?? ''),
      ...(typeof displayName === 'string' && displayName !== '' ? { displayName } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      draftAndPublish: hasDrafts(schema),
      localized: isLocalized,
      attributes: toAttributes(schema, isLocalized, { contentType }),
    }
  }

  function toComponent({ schema, uid }: ComponentFile): NewComponentBody {
    const [category = 'default', name = ''] = uid.split('.')
    const { displayName, description } = membersOf(schema)
    return {
      category,
      name,
      ...(typeof displayName === 'string' && displayName !== '' ? { displayName } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      attributes: toAttributes(schema, false, { component: uid }),
    }
  }

  function toAttributes(
    schema: Json,
    isLocalized: boolean,
    owner: { readonly contentType: string } | { readonly component: string },
  ): Record<string, unknown> {
    const surroundings = { isLocalized, typeOf, hasComponent }
    const attributes: Record<string, unknown> = {}
    for (const [name, raw] of Object.entries(attributesOf(schema))) {
      if (OF_SYSTEM.has(name)) continue
      const note = (message: string) => notes.push({ ...owner, attribute: name, message })
      const { attribute, notes: own } = translateAttribute(isObject(raw) ? raw : {}, surroundings)
      for (const message of own) note(message)
      if (!attribute) continue
      const now = nameIn(schema, name)
      if (now !== name) note(`is called ${now} here, because the name is reserved`)
      attributes[now] = withNames(schema, attribute, surroundings)
    }
    return attributes
  }

  /** What an attribute names follows it when it is called something else here, or goes with it. */
  function withNames(
    schema: Json,
    attribute: Json,
    surroundings: Parameters<typeof translateAttribute>[1],
  ): Json {
    const { targetField, inversedBy, mappedBy, ...rest } = attribute
    const { target } = attribute
    const other = typeof target === 'string' ? imported.get(target)?.schema : undefined
    const isHere = typeof targetField === 'string' && attributeIn(schema, targetField) !== undefined
    return {
      ...rest,
      ...(isHere ? { targetField: nameIn(schema, targetField) } : {}),
      ...endOf('inversedBy', inversedBy),
      ...endOf('mappedBy', mappedBy),
    }

    function endOf(member: string, name: unknown): Json {
      if (typeof name !== 'string') return {}
      if (!other) return existing.findType(String(target)) ? { [member]: name } : {}
      const end = attributeIn(other, name)
      const isThere = end && translateAttribute(end, surroundings).attribute !== null
      return isThere ? { [member]: nameIn(other, name) } : {}
    }
  }

  function typeOf(uid: string): string | undefined {
    const [, , name] = TYPE_UID.exec(uid) ?? []
    if (name === undefined) return undefined
    if (imported.has(name)) return name
    return existing.findType(name)?.singularName
  }

  function hasComponent(uid: string): boolean {
    return components.has(uid) || existing.findComponent(uid) !== undefined
  }
}

/** Every entry has these; files of older versions write them out. */
const OF_SYSTEM = new Set([
  'id',
  'documentId',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'createdBy',
  'updatedBy',
  'locale',
  'localizations',
])

/** How an attribute is called here. */
function nameIn(schema: Json, name: string): string {
  const isFree = ATTRIBUTE_NAME.test(name) && !isReservedAttribute(name, hasDrafts(schema))
  if (isFree) return name
  const letters = name.replaceAll(/\W/g, '_')
  const base = `field_${letters}`.slice(0, 60)
  return attributeIn(schema, base) ? `${base.slice(0, 58)}_2` : base
}

function attributesOf(schema: Json): Json {
  return isObject(schema['attributes']) ? schema['attributes'] : {}
}

/** By a name that the file says: not what every object has. */
function attributeIn(schema: Json, name: string): Json | undefined {
  const attribute = new Map(Object.entries(attributesOf(schema))).get(name)
  return isObject(attribute) ? attribute : undefined
}

/** Of the file, or as the modelled system's own API puts them. */
function membersOf(schema: Json): Json {
  return isObject(schema['info']) ? { ...schema, ...schema['info'] } : schema
}

function singularOf(schema: Json): string {
  const { singularName } = membersOf(schema)
  return String(singularName ?? '')
}

function hasDrafts(schema: Json): boolean {
  const { options, draftAndPublish } = schema
  const given = isObject(options) ? options['draftAndPublish'] : undefined
  return (given ?? draftAndPublish) === true
}

function localizedOf({ pluginOptions }: Json): boolean {
  const i18n = isObject(pluginOptions) ? pluginOptions['i18n'] : undefined
  return isObject(i18n) && i18n['localized'] === true
}
