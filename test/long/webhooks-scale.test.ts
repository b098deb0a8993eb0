import { manySubscriptions } from '../contract/webhooks/scale.ts'

manySubscriptions(10_000)
