import { accepts } from './accepts.ts'
import { createCatalogue, type Setting, valueAt } from './catalogue.ts'
import type { Origin } from './collect.ts'
import { mask } from './mask.ts'
import type { Config } from './parse.ts'

/** One line of `entrepot config`; `value` is masked and undefined when not set. */
export interface SettingRow {
  readonly name: string
  readonly variable: string
  readonly value: unknown
  readonly origin: Origin
  readonly summary: string
}

/** One member of an area that can be changed while the server runs. */
export interface AreaMember {
  /** As the settings interface spells it: `anonymous_per_minute`. */
  readonly name: string
  /** As the program spells it: `anonymousPerMinute`. */
  readonly key: string
  readonly summary: string
  /** Completes "must be …" for a refused value. */
  readonly expects: string
  /** JSON Schema of one value. */
  readonly schema: object
  readonly secret: boolean
  /** A URL may have a password inside. */
  readonly isUrl: boolean
  /** What holds while nothing is stored; undefined when not set at all. */
  readonly value: unknown
  readonly origin: Origin
  accepts(value: unknown): boolean
  /** The value as it may be shown to an admin. */
  mask(value: unknown): unknown
}

export interface SettingsArea {
  readonly name: string
  readonly members: readonly AreaMember[]
}

/** Every setting in the order of the schema, safe to print. */
export function describeConfig(config: Config): SettingRow[] {
  return createCatalogue().all.map((setting) => ({
    name: setting.name,
    variable: setting.variable,
    value: mask(setting, valueAt(config, setting)),
    origin: config.origins[setting.name] ?? 'default',
    summary: setting.summary,
  }))
}

/** The areas of `/api/v1/settings/{area}` (access contract §6) with what file and environment say. */
export function describeAreas(config: Config): SettingsArea[] {
  const live = createCatalogue().all.filter((setting) => setting.area !== undefined)
  const byArea = Map.groupBy(live, (setting) => setting.area ?? '')
  return [...byArea].map(([name, settings]) => ({
    name,
    members: settings.map((setting) => toMember(config, setting)),
  }))
}

function toMember(config: Config, setting: Setting): AreaMember {
  const { member, path, summary, expects, schema, secret, isUrl } = setting
  return {
    name: member,
    key: path.at(-1) ?? '',
    summary,
    expects,
    schema,
    secret,
    isUrl,
    value: valueAt(config, setting),
    origin: config.origins[setting.name] ?? 'default',
    accepts: (value) => accepts(schema, value),
    mask: (value) => mask(setting, value),
  }
}
