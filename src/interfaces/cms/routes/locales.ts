import type { HttpPlugin } from '#http'
import { renderTime } from '#kernel'
import type { CmsDeps } from '../deps.ts'
import { refuseOthers, sendJson } from './sending.ts'

const PATH = '/i18n/locales'

export function localeRoutes({ content }: Pick<CmsDeps, 'content'>): HttpPlugin {
  return (app) => {
    app.get(PATH, { config: { access: 'none' } }, async (request, reply) => {
      const locales = content.model().locales.map((locale) => ({
        id: locale.id,
        code: locale.code,
        name: locale.name,
        isDefault: locale.isDefault,
        createdAt: renderTime(locale.createdAtMs),
        updatedAt: renderTime(locale.updatedAtMs),
      }))
      return sendJson(request, reply, JSON.stringify(locales))
    })
    refuseOthers(app, PATH, ['GET'])
  }
}
