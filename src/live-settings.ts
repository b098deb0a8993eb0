/** Settings that can be changed while the server runs, typed as the configuration is. */

import type { Bus, Revisions } from '#bus'
import { type AreaMember, type Config, describeAreas } from '#config'
import type { Database } from '#db'
import type { Log } from '#kernel'
import type { SecretBox } from '#secrets'
import { type Areas, createSettings, type DescribedSetting } from '#settings'
import { isArea, type LiveArea, type SharedSettings, toProgramNames } from './shared-settings.ts'

export interface LiveSettings {
  /** The values in force now; ask for each request rather than keep them. */
  get<K extends LiveArea>(area: K): Config[K]
  describe(area: string): Record<string, DescribedSetting>
  /** All areas with what each member means. */
  areas(): readonly {
    readonly area: string
    readonly members: readonly (Pick<AreaMember, 'name' | 'summary' | 'expects' | 'schema'> &
      DescribedSetting)[]
  }[]
  patch(area: string, members: Readonly<Record<string, unknown>>): Promise<void>
  onChange(area: LiveArea, handler: () => void): () => void
  /** For another thread; it hears of changes by itself. */
  share(): SharedSettings
  close(): void
}

interface Deps {
  readonly config: Config
  readonly db: Database
  readonly revisions: Revisions
  readonly box: SecretBox
  readonly log: Log
  readonly followers?: Bus
}

export async function openLiveSettings({ config, ...deps }: Deps): Promise<LiveSettings> {
  const described = describeAreas(config)
  const areas: Areas = Object.fromEntries(
    described.map(({ name, members }) => [
      name,
      Object.fromEntries(
        members.map(({ name, schema, value, origin, secret, isUrl, accepts, mask }) => [
          name,
          {
            schema: value === undefined ? orNull(schema) : schema,
            value: value ?? null,
            origin,
            accepts: (given: unknown) => (value === undefined && given === null) || accepts(given),
            ...(isUrl ? { mask } : {}),
            ...(secret ? { secret: true as const } : {}),
          },
        ]),
      ),
    ]),
  )
  const settings = await createSettings({ ...deps, areas })
  const names = Object.fromEntries(
    described.map(({ name, members }) => [
      name,
      Object.fromEntries(members.map((member) => [member.name, member.key])),
    ]),
  )
  const current = new Map(described.map(({ name }) => [name, read(name)]))
  for (const { name } of described) settings.onChange(name, () => current.set(name, read(name)))

  return {
    get,
    describe: settings.describe,
    areas: listAreas,
    patch: settings.patch,
    onChange: (area, handler) => settings.onChange(area, handler),
    share: () => ({ values: settings.snapshot(), names }),
    close: settings.close,
  }

  function get<K extends LiveArea>(area: K): Config[K] {
    const values = current.get(area)
    if (!isArea(area, values)) throw new Error(`there are no settings ${area}`)
    return values
  }

  function listAreas() {
    return described.map(({ name: area, members }) => {
      const values = settings.describe(area)
      return {
        area,
        members: members.map(({ name, summary, expects, schema }) => ({
          ...{ name, summary, expects, schema },
          ...(values[name] ?? { value: null, origin: 'default' as const }),
        })),
      }
    })
  }

  function read(area: string): Record<string, unknown> {
    return toProgramNames(settings.get(area), names[area] ?? {})
  }
}

/** A setting that file and environment leave out is null until one is stored. */
function orNull(schema: object) {
  return { anyOf: [schema, { type: 'null' }] }
}
