import { describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { jsonApiClients } from '../../conformance/jsonapi-clients.ts'
import { filters } from './filters.ts'
import { finerPoints } from './finer-points.ts'
import { reading } from './reading.ts'
import { stock } from './stock.ts'
import { subrequests } from './subrequests.ts'
import { jsonApiServer } from './support.ts'
import { writing } from './writing.ts'

/** All of JSON:API on one server. */
export function jsonApiSuites(kind: DatabaseKind): void {
  describe(`JSON:API (${kind})`, () => {
    const jsonApi = jsonApiServer(kind)
    stock(jsonApi)
    reading(jsonApi)
    filters(jsonApi)
    writing(jsonApi)
    finerPoints(jsonApi)
    subrequests(jsonApi)
    jsonApiClients(jsonApi)
  })
}
