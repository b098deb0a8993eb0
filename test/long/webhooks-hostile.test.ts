import { describe } from 'node:test'
import { type DatabaseKind, installation, shareServer, startServer } from '#test-kit'
import { hostileWebhooks } from '../contract/webhooks/hostile.ts'
import { ADMIN_KEY, LOOPBACK } from '../contract/webhooks/support.ts'

const REQUESTS = 10_000
const SETTINGS = { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_STARTER: 'types', ...LOOPBACK }

for (const kind of ['sqlite', 'postgres'] satisfies DatabaseKind[]) {
  describe(`hostile requests to webhooks (${kind})`, () => {
    const server = shareServer(async () => startServer(await installation(kind, SETTINGS)))
    hostileWebhooks(REQUESTS, 12)(server)
  })
}
