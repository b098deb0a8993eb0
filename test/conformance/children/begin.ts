// Begins work under an idempotency key and is killed in the middle of it. Says how it began.

import type { DatabaseSettings } from '#db'
import { random } from '#kernel'
import { createSecretBox } from '#secrets'
import { createIdempotency } from '../../../src/kernel/http/idempotency/keys.ts'
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
