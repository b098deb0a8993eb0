import { eachDatabase } from '#test-kit'
import { componentTests } from './definitions/components.ts'
import { dataTests } from './definitions/data.ts'
import { typeTests } from './definitions/types.ts'
import { contentServer } from './support.ts'

// One server for all of them, because starting one takes longer than most of the tests.
eachDatabase('definitions', (kind) => {
  const server = contentServer(kind)
  typeTests(server)
  componentTests(server)
  dataTests(server)
})
