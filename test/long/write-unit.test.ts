import { eachDatabase } from '#test-kit'
import { testKilled } from '../conformance/write-unit/killed.ts'

eachDatabase('writes as one unit', (kind) => testKilled(kind, 30))
