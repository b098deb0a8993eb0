import type { ContentModel } from '#content'
import { memoizeOf } from '#kernel'
import type { RestContent } from '../deps.ts'
import { SHARED_PARAMETERS } from './openapi/parameters.ts'
import { changesPath, pathsOf, searchPath } from './openapi/paths.ts'
import { schemasOf } from './openapi/schemas.ts'

interface Document {
  readonly paths?: object
  readonly components?: { readonly schemas?: object; readonly parameters?: object }
}

interface Addition {
  readonly paths: object
  readonly schemas: object
  readonly parameters: object
}

/** Describes the content types as they are at the moment of the question. */
export function createDescription({ model }: Pick<RestContent, 'model'>) {
  return <Given extends Document>(document: Given): Given & Document => {
    const { paths, schemas, parameters } = describe(model())
    return {
      ...document,
      paths: { ...document.paths, ...paths },
      components: {
        ...document.components,
        schemas: { ...document.components?.schemas, ...schemas },
        parameters: { ...document.components?.parameters, ...parameters },
      },
    }
  }
}

/** Made once for each state of the model. */
const describe = memoizeOf((model: ContentModel): Addition => {
  const versions = [1, 2] as const
  const ofTypes = model.types.flatMap((type) =>
    versions.map((version) => pathsOf(model, type, version)),
  )
  return {
    paths: Object.assign({}, ...ofTypes, ...versions.map(changesPath), searchPath()),
    schemas: schemasOf(model),
    parameters: Object.fromEntries(
      Object.entries(SHARED_PARAMETERS).map(([name, each]) => [`content.${name}`, each]),
    ),
  }
})
