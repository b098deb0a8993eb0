import Type from 'typebox'
import type { HttpPlugin } from '#http'
import type { ContentModel } from '../model.ts'
import { renderComponent, renderType } from './render.ts'
import { ComponentRecord, ContentTypeRecord } from './schemas.ts'

const Language = Type.Object({
  code: Type.String(),
  name: Type.String(),
  isDefault: Type.Boolean(),
  fallback: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
})

const Model = Type.Object({
  contentTypes: Type.Array(ContentTypeRecord),
  components: Type.Array(ComponentRecord),
  locales: Type.Array(Language),
})

/** What forms are made from, for whoever may write entries; only admins change any of it. */
export function modelRoute(model: () => ContentModel): HttpPlugin {
  return (app) => {
    app.get(
      '/content-model',
      {
        config: { access: 'write' },
        schema: {
          tags: ['Content types'],
          summary: 'Read the whole content model',
          description:
            'All content types, components and languages in one answer, for editors that make forms from them. It needs level write; changing any of it needs admin.',
          response: { 200: Type.Object({ data: Model }) },
        },
      },
      async () => {
        const { types, components, locales } = model()
        return {
          data: {
            contentTypes: types.map(renderType),
            components: components.map(renderComponent),
            locales: locales.map(({ code, name, isDefault, fallback }) => ({
              ...{ code, name, isDefault, fallback },
            })),
          },
        }
      },
    )
  }
}
