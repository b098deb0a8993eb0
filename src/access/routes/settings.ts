import Type from 'typebox'
import type { HttpPlugin } from '#http'
import type { DescribedSetting } from '#settings'
import { Settings, SettingsChange } from '../schemas.ts'
import { dataOf } from './shared.ts'

interface SettingsArea {
  readonly area: string
  readonly members: readonly ({
    readonly name: string
    readonly summary: string
    /** Completes "must be …". */
    readonly expects: string
    readonly schema: object
  } & DescribedSetting)[]
}

/** Settings that can be changed while the server runs; an unknown area or member throws. */
export interface ChangeableSettings {
  /** All areas, each member with what it means. */
  areas(): readonly SettingsArea[]
  describe(area: string): Record<string, DescribedSetting>
  patch(area: string, members: Readonly<Record<string, unknown>>): Promise<void>
}

const config = { access: 'admin' } as const
const tags = ['Settings']
const params = Type.Object({ area: Type.String() })
const listed = Type.Object({
  data: Type.Array(
    Type.Object({
      area: Type.String(),
      members: Type.Array(
        Type.Object({
          name: Type.String(),
          value: Type.Unknown(),
          origin: Type.String({ description: '`default`, `file`, `environment` or `stored`' }),
          summary: Type.String(),
          expects: Type.String({ description: 'Completes “must be …”' }),
          schema: Type.Object({}, { additionalProperties: true }),
        }),
      ),
    }),
  ),
})

export function settingsRoutes({ settings }: { settings: ChangeableSettings }): HttpPlugin {
  return (app) => {
    app.get(
      '/settings',
      {
        config,
        schema: {
          tags,
          summary: 'List settings',
          description:
            'All settings that can be changed while the server runs, by area, each with its meaning, value and origin. Secrets are masked.',
          response: { 200: listed },
        },
      },
      async () => ({
        data: settings.areas().map(({ area, members }) => ({ area, members: [...members] })),
      }),
    )

    app.get(
      '/settings/:area',
      {
        config,
        schema: {
          tags,
          summary: 'Read settings',
          description:
            'All settings of an area, each with its value and where it comes from. Secrets are masked.',
          params,
          response: { 200: dataOf(Settings) },
        },
      },
      async (request) => ({ data: settings.describe(request.params.area) }),
    )

    app.patch(
      '/settings/:area',
      {
        config,
        schema: {
          tags,
          summary: 'Change settings',
          description:
            'Stores the members that are sent; they hold at once on all nodes, without a restart. Null drops the stored value, so that file and environment hold again.',
          params,
          body: SettingsChange,
          response: { 200: dataOf(Settings) },
        },
      },
      async (request) => {
        const { area } = request.params
        await settings.patch(area, request.body)
        return { data: settings.describe(area) }
      },
    )
  }
}
