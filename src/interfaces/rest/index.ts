/**
 * The versioned content API: `/api/v1/articles` and its like for every content type, version 2 beside
 * it, both also reached by the `Accept` header. It reads and writes the one content store.
 */
import type { HttpPlugin, Mount } from '#http'
import type { RestDeps } from './deps.ts'
import { renderRestError } from './errors.ts'
import type { Version } from './query/parse.ts'
import { createDescription } from './routes/openapi.ts'
import { createVersion, unknownVersions, type VersionEnd } from './routes/versions.ts'
import { contentRoutes } from './routes.ts'

export type { RestContent, RestDeps } from './deps.ts'
export { readEntryText } from './read/find.ts'
export { routeByAccept, type VersionEnd } from './routes/versions.ts'

interface Deps extends RestDeps {
  /** False: a process without this role has the mounts, and nothing in them. */
  readonly isServed: boolean
  readonly ends: Readonly<Record<Version, VersionEnd>>
}

export function createRest(deps: Deps) {
  return {
    mount,
    unknownVersions,
    /** What the OpenAPI document says of the content types as they are now. */
    describe: createDescription(deps.content),
  }

  /** Everything of one version; `others` are its routes that are not content. */
  function mount(version: Version, others: HttpPlugin): Required<Pick<Mount, MountPart>> {
    const { onRequest, finish } = createVersion(version, deps.ends[version])
    return {
      prefix: `/api/v${version}`,
      renderError: renderRestError,
      onRequest,
      async plugin(app) {
        await others(app)
        if (deps.isServed) await contentRoutes(deps, version)(app)
        finish(app)
      },
    }
  }
}

type MountPart = 'prefix' | 'renderError' | 'onRequest' | 'plugin'
