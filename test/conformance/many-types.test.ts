import { manyTypes } from './support/many-types.ts'

manyTypes(100)
