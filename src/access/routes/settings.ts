import Type from 'typebox'
import type { HttpPlugin } from '#http'
import type { DescribedSetting } from '#settings'
import { Settings, SettingsChange } from '../schemas.ts'
import { dataOf } from './shared.ts'

/** Settings that can be changed while the server runs; an unknown area or member throws. */
export interface ChangeableSettings {
  describe(area: string): Record<string, DescribedSetting>
  patch(area: string, members: Readonly<Record<string, unknown>>): Promise<void>
}

const config = { access: 'admin' } as const
const tags = ['Settings']
const params = Type.Object({ area: Type.String() })

export function settingsRoutes({ settings }: { settings: ChangeableSettings }): HttpPlugin {
  return (app) => {
    app.get(
      '/settings/:area',
      { config, schema: { tags, params, response: { 200: dataOf(Settings) } } },
      async (request) => ({ data: settings.describe(request.params.area) }),
    )

    app.patch(
      '/settings/:area',
      {
        config,
        schema: { tags, params, body: SettingsChange, response: { 200: dataOf(Settings) } },
      },
      async (request) => {
        const { area } = request.params
        await settings.patch(area, request.body)
        return { data: settings.describe(area) }
      },
    )
  }
}
