import { isObject } from '#kernel'
import { FIELD_KINDS } from '../../fields/index.ts'
import { compilePattern } from '../../fields/support/patterns.ts'
import { ATTRIBUTE_SCHEMAS, RELATION_KINDS } from '../attribute-schemas.ts'
import type { Json } from './files.ts'

/** What an attribute becomes here; null when it has no counterpart. */
interface Translated {
  readonly attribute: Json | null
  /** What of it has none. */
  readonly notes: readonly string[]
}

interface Surroundings {
  readonly isLocalized: boolean
  /** The singular name of a type that is here or comes along; undefined for others. */
  typeOf(uid: string): string | undefined
  hasComponent(uid: string): boolean
}

/** Says how it is shown in the modelled system's own editor; nothing is lost without it. */
const OF_EDITOR = new Set(['pluginOptions', 'configurable', 'writable', 'visible', 'conditions'])

/** An attribute of a `schema.json` as a definition of ours. */
export function translateAttribute(raw: Json, to: Surroundings): Translated {
  const { type } = raw
  switch (type) {
    case 'relation':
      return translateRelation(raw, to)
    case 'component':
      return translateComponent(raw, to)
    case 'dynamiczone':
      return translateZone(raw, to)
    case 'richtext':
      return withOptions({ format: 'markdown', ...raw }, to)
    case 'blocks':
      return translateBlocks(raw, to)
    case 'timestamp':
      return withOptions({ ...raw, type: 'datetime' }, to)
    case 'media':
      return withOptions({ ...raw, allowedTypes: mediaOf(raw['allowedTypes']) }, to)
    default:
      if (typeof type === 'string' && ATTRIBUTE_SCHEMAS.has(type)) return withOptions(raw, to)
      return {
        attribute: null,
        notes: [`has the type ${kindName(raw)}, which does not exist here`],
      }
  }
}

function kindName({ type, customField }: Json): string {
  return type === 'customField' ? String(customField) : String(type)
}

function translateRelation(raw: Json, to: Surroundings): Translated {
  const { relation, target } = raw
  const isOffered = RELATION_KINDS.some((kind) => kind === relation)
  if (!isOffered || typeof target !== 'string') {
    return { attribute: null, notes: [`is a relation ${relation}, which does not exist here`] }
  }
  const name = to.typeOf(target)
  if (name === undefined) {
    return { attribute: null, notes: [`leads to ${target}, which is neither here nor imported`] }
  }
  return withOptions({ ...raw, target: name }, to)
}

function translateComponent(raw: Json, to: Surroundings): Translated {
  const { component } = raw
  if (typeof component === 'string' && to.hasComponent(component)) return withOptions(raw, to)
  const notes = [`holds the component ${component}, which is neither here nor imported`]
  return { attribute: null, notes }
}

function translateZone(raw: Json, to: Surroundings): Translated {
  if (!ATTRIBUTE_SCHEMAS.has('dynamiczone')) {
    return { attribute: null, notes: ['is a dynamic zone, which does not exist here'] }
  }
  const all = Array.isArray(raw['components']) ? raw['components'].map(String) : []
  const components = all.filter(to.hasComponent)
  const missing = all.filter((uid) => !components.includes(uid))
  const own = missing.map((uid) => `may hold ${uid}, which is neither here nor imported`)
  if (components.length === 0) return { attribute: null, notes: own }
  const { attribute, notes } = withOptions({ ...raw, components }, to)
  return { attribute, notes: [...own, ...notes] }
}

/** A list of nodes: a format of rich text where there is one, else JSON, which keeps them as they are. */
function translateBlocks(raw: Json, to: Surroundings): Translated {
  const options: Json = ATTRIBUTE_SCHEMAS.get('richtext')?.properties ?? {}
  const hasBlocks = JSON.stringify(options['format'] ?? '').includes('"blocks"')
  if (hasBlocks) return withOptions({ ...raw, type: 'richtext', format: 'blocks' }, to)
  const { attribute, notes } = withOptions({ ...raw, type: 'json' }, to)
  return { attribute, notes: ['is kept as JSON', ...notes] }
}

/** Null in the modelled system: all of them. */
function mediaOf(allowed: unknown): unknown {
  if (!Array.isArray(allowed)) return undefined
  const known = allowed.filter((each) => ['images', 'videos', 'audios', 'files'].includes(each))
  return known.length > 0 ? [...new Set(known)] : undefined
}

/** Takes over the options that exist here, and says which do not. */
function withOptions(raw: Json, { isLocalized }: Surroundings): Translated {
  const known = ATTRIBUTE_SCHEMAS.get(String(raw['type']))?.properties ?? {}
  const notes: string[] = []
  const attribute: Record<string, unknown> = {}
  for (const [option, value] of Object.entries(raw)) {
    if (OF_EDITOR.has(option) || value === null || value === undefined) continue
    const problem = Object.hasOwn(known, option) ? faultOf(raw, option, value) : 'is no option here'
    if (problem === undefined) attribute[option] = value
    else if (value !== false) notes.push(`${option} ${problem}`)
  }
  if (isLocalized) attribute['localized'] = isLocalizedThere(raw)
  return { attribute, notes }
}

function faultOf(raw: Json, option: string, value: unknown): string | undefined {
  if (option === 'regex' && !(typeof value === 'string' && compilePattern(value))) {
    return 'is no expression that can be used here'
  }
  const isUnique = option === 'unique' && value === true
  if (!isUnique) return undefined
  const kind = Object.values(FIELD_KINDS).find(({ type }) => type === raw['type'])
  return kind?.column.compared === false ? `is not offered for ${raw['type']}` : undefined
}

/** There relations and uids always differ by language, everything else only when it says so. */
function isLocalizedThere({ type, pluginOptions }: Json): boolean {
  if (type === 'relation' || type === 'uid') return true
  const i18n = isObject(pluginOptions) ? pluginOptions['i18n'] : undefined
  return isObject(i18n) && i18n['localized'] === true
}
