// Begins work under an idempotency key and is killed in the middle of it. Says how it began.
import { createSecretBox, type DatabaseSettings, random } from '#kernel'
import { createIdempotency } from '../../../src/kernel/idempotency.ts'
import { argument, open } from './open.ts'

const { settings, attempt } = argument<{
  settings: DatabaseSettings
  attempt: { scope: string; key: string; requestHash: string }
}>()
const db = await open(settings)
const secrets = createSecretBox({ current: random.bytes(32), random })
const idempotency = createIdempotency({ db, owner: 'killed', random, secrets })
console.log((await idempotency.begin(attempt)).state)
await new Promise(() => {})
