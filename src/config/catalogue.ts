import Type, { type TSchema } from 'typebox'
import { settingsSchema } from './schema.ts'

const PREFIX = 'ENTREPOT_'

/** One setting under all its names. */
export interface Setting {
  /** In the file and in `entrepot config`: `gateway.admin_key`. */
  readonly name: string
  /** In the environment: `ENTREPOT_GATEWAY_ADMIN_KEY`. */
  readonly variable: string
  /** In the program: `['gateway', 'adminKey']`. */
  readonly path: readonly string[]
  /** The name inside its area: `admin_key`. */
  readonly member: string
  /** The group that can be changed at run time, when it is in one. */
  readonly area: string | undefined
  readonly schema: TSchema
  readonly summary: string
  /** Completes the sentence "must be …". */
  readonly expects: string
  readonly default: unknown
  readonly derived: string | undefined
  readonly secret: boolean
  readonly isUrl: boolean
  readonly optional: boolean
}

export interface Catalogue {
  readonly all: readonly Setting[]
  readonly byName: ReadonlyMap<string, Setting>
  readonly byVariable: ReadonlyMap<string, Setting>
  readonly groups: ReadonlySet<string>
}

export function createCatalogue(): Catalogue {
  const groups = new Set<string>()
  const all = Object.entries(settingsSchema.properties).flatMap(([key, schema]) => {
    if (!Type.IsObject(schema)) return [toSetting([key], schema, undefined)]
    groups.add(snake(key))
    const area = option(schema, 'live') === true ? snake(key) : undefined
    return Object.entries(schema.properties).map(([member, inner]) =>
      toSetting([key, member], inner, option(inner, 'fixed') === true ? undefined : area),
    )
  })
  return {
    all,
    groups,
    byName: new Map(all.map((setting) => [setting.name, setting])),
    byVariable: new Map(all.map((setting) => [setting.variable, setting])),
  }
}

/** What a setting has inside the nested settings. */
export function valueAt(settings: object, { path }: Pick<Setting, 'path'>): unknown {
  let value: unknown = settings
  for (const key of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  }
  return value
}

/** Schemas carry our own options beside those of JSON Schema, which their types do not show. */
function option(schema: TSchema, name: string): unknown {
  return Reflect.get(schema, name)
}

function toSetting(path: readonly string[], schema: TSchema, area: string | undefined): Setting {
  const member = textOption(schema, 'name') ?? snake(path.at(-1) ?? '')
  const name = [...path.slice(0, -1).map(snake), member].join('.')
  return {
    name,
    member,
    area,
    path,
    schema,
    variable: PREFIX + snake(name).replaceAll('.', '_').toUpperCase(),
    summary: textOption(schema, 'description') ?? '',
    expects: textOption(schema, 'expects') ?? 'another value',
    default: option(schema, 'default'),
    derived: textOption(schema, 'derived'),
    secret: option(schema, 'secret') === true,
    isUrl: option(schema, 'url') === true,
    optional: Type.IsOptional(schema),
  }
}

function textOption(schema: TSchema, name: string): string | undefined {
  const value = option(schema, name)
  return typeof value === 'string' ? value : undefined
}

function snake(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
}
