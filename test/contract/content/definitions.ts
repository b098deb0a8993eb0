import type { DatabaseKind } from '#test-kit'
import { buildingTests } from './definitions/building.ts'
import { componentTests } from './definitions/components.ts'
import { dataTests } from './definitions/data.ts'
import { typeTests } from './definitions/types.ts'
import { storeSuite } from './support.ts'

export const definitions = (kind: DatabaseKind) =>
  storeSuite('definitions', (content) => {
    typeTests(content)
    componentTests(content)
    dataTests(content)
    if (kind === 'postgres') buildingTests(content)
  })
