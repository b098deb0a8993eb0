import { describe } from 'node:test'
import { type DatabaseKind, installation, shareServer, startServer } from '#test-kit'
import { entriesOfEvents } from './entries.ts'
import { hangingEndpoint } from './hanging.ts'
import { hostileWebhooks } from './hostile.ts'
import { subscriptionOptions } from './options.ts'
import { outcomes } from './outcomes.ts'
import { pace } from './pace.ts'
import { publishing } from './publishing.ts'
import { signatures } from './signing.ts'
import { liveFeed } from './stream.ts'
import { subscriptions } from './subscriptions.ts'
import { ADMIN_KEY, LOOPBACK, SCHEDULE_S } from './support.ts'

const SETTINGS = {
  ENTREPOT_ADMIN_KEY: ADMIN_KEY,
  ENTREPOT_STARTER: 'types',
  ENTREPOT_WEBHOOKS_RETRY_SCHEDULE: SCHEDULE_S.join(),
  ENTREPOT_WEBHOOKS_WORKERS: '64',
  ...LOOPBACK,
}

/** What one server shows of webhooks. */
export function webhookSuites(kind: DatabaseKind): void {
  describe(`webhooks (${kind})`, () => {
    const server = shareServer(async () => startServer(await installation(kind, SETTINGS)))
    subscriptions(server)
    subscriptionOptions(server)
    entriesOfEvents(server)
    publishing(server)
    liveFeed(server)
    hangingEndpoint(server)
    signatures(server)
    outcomes(server)
    hostileWebhooks(300, 41)(server)
    pace(server)
  })
}
