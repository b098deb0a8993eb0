import { manySubscriptions } from './scale.ts'

manySubscriptions(2_000)
