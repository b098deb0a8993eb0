import { manyTypes } from '../conformance/support/many-types.ts'

manyTypes(300)
