import { componentTests } from './definitions/components.ts'
import { dataTests } from './definitions/data.ts'
import { typeTests } from './definitions/types.ts'
import { storeSuite } from './support.ts'

export const definitions = storeSuite('definitions', (content) => {
  typeTests(content)
  componentTests(content)
  dataTests(content)
})
