/**
 * The JSON:API face of the content store: every content type under `/jsonapi/{entity_type}/{bundle}`,
 * as clients of Drupal's JSON:API expect it, with path translation beside it.
 */
import type { JsonApiDeps } from './deps.ts'
import { renderJsonApiError } from './errors.ts'
import { onRequest } from './request.ts'
import { jsonApiDocument } from './routes/openapi.ts'
import { renderBlueprintError, subrequestRoutes } from './routes/subrequests.ts'
import { renderPathError, translatePathRoutes } from './routes/translate-path.ts'
import { jsonApiRoutes } from './routes.ts'

export type { JsonApiDeps, KnownUser, KnownUsers } from './deps.ts'
export { routeByLanguage } from './request.ts'

export function createJsonApi(deps: JsonApiDeps) {
  return {
    onRequest,
    plugin: jsonApiRoutes(deps),
    renderError: renderJsonApiError,
    document: jsonApiDocument(deps),
    /** Below `/router`. */
    paths: { plugin: translatePathRoutes(deps), renderError: renderPathError },
    /** Below `/subrequests`; needs no guard, because what it hands on passes that of its own mount. */
    subrequests: { plugin: subrequestRoutes(deps), renderError: renderBlueprintError },
  }
}
