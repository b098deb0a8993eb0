import { killedServer } from '../contract/webhooks/kill.ts'

for (const kind of ['sqlite', 'postgres'] as const) killedServer(kind, { kills: 10, events: 1_000 })
