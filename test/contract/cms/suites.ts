import { describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { strapiClients } from '../../conformance/strapi-clients.ts'
import { authorsAndCounts } from './authors-and-counts.ts'
import { components } from './components.ts'
import { listsOfValues } from './lists-of-values.ts'
import { movedFromStrapi } from './moved-from-strapi.ts'
import { filters } from './operators.ts'
import { walking } from './paging.ts'
import { reading } from './reading.ts'
import { repeated } from './repeated.ts'
import { cmsServer } from './support.ts'
import { uploads } from './upload.ts'
import { writing } from './writing.ts'

const SETTINGS = {
  // So that little is enough to exceed them; nothing else here uploads as much.
  ENTREPOT_MEDIA_MAX_FILE_BYTES: '200000',
  ENTREPOT_MEDIA_MAX_FILES: '5',
}

/** Everything of the CMS dialect on one server. */
export function cmsSuites(kind: DatabaseKind): void {
  describe(`cms (${kind})`, () => {
    const cms = cmsServer(kind, SETTINGS)
    reading(cms)
    filters(cms)
    listsOfValues(cms)
    components(cms)
    walking(cms)
    repeated(cms)
    authorsAndCounts(cms)
    writing(cms)
    uploads(cms)
    strapiClients(cms)
    movedFromStrapi(cms)
  })
}
