import type { OpenApiSections } from '#http'
import type { RestContent } from '../deps.ts'
import { changesPath, searchPath } from './openapi/other-paths.ts'
import { SHARED_PARAMETERS } from './openapi/parameters.ts'
import { pathsOf } from './openapi/paths.ts'
import { schemasOf } from './openapi/schemas.ts'

const VERSIONS = [1, 2] as const

/** Describes the content types as they are at the moment of the question. */
export function createDescription({ model }: Pick<RestContent, 'model'>) {
  return (): OpenApiSections => {
    const snapshot = model()
    return {
      revision: `content ${snapshot.revision}`,
      paths: paths(),
      schemas: schemasOf(snapshot),
      parameters: parameters(),
    }

    function* paths(): Generator<object> {
      for (const type of snapshot.types) {
        for (const version of VERSIONS) yield pathsOf(snapshot, type, version)
      }
      for (const version of VERSIONS) yield changesPath(version)
      yield searchPath()
    }
  }
}

function* parameters(): Generator<object> {
  for (const [name, each] of Object.entries(SHARED_PARAMETERS)) yield { [`content.${name}`]: each }
}
