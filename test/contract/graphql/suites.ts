import { describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { graphqlClients } from '../../conformance/graphql-clients.ts'
import { access } from './access.ts'
import { changes } from './changes.ts'
import { connections } from './connections.ts'
import { explorer } from './explorer.ts'
import { files } from './files.ts'
import { filters } from './filters.ts'
import { inputs } from './inputs.ts'
import { limits } from './limits.ts'
import { lists } from './lists.ts'
import { pages } from './pages.ts'
import { reading } from './reading.ts'
import { schemas } from './schemas.ts'
import { graphqlServer } from './support.ts'
import { transport } from './transport.ts'

/** Everything of GraphQL on one server. */
export function graphqlSuites(kind: DatabaseKind): void {
  describe(`graphql (${kind})`, () => {
    const api = graphqlServer(kind)
    schemas(api)
    reading(api)
    filters(api)
    pages(api)
    files(api)
    lists(api)
    connections(api)
    changes(api)
    inputs(api)
    access(api)
    limits(api)
    transport(api)
    explorer(api)
    graphqlClients(api)
  })
}
