import { describe } from 'node:test'
import { authentication } from './authentication.ts'
import { endpoints } from './endpoints.ts'
import { hostile } from './hostile.ts'
import { badInput } from './input.ts'
import { keys } from './keys.ts'
import { limits } from './limits.ts'
import { manyKeys } from './many-keys.ts'
import { metrics } from './metrics.ts'
import { oauthTokens } from './oauth.ts'
import { oauthClients } from './oauth-clients.ts'
import { lastAdmin, ownership } from './ownership.ts'
import { secretsInLogs } from './secrets-in-logs.ts'
import { settings } from './settings.ts'
import { passwords } from './sign-in.ts'
import { accessServer, type InstallationKind } from './support.ts'
import { tickets } from './tickets.ts'
import { usageNow } from './usage-now.ts'
import { usageOfServer } from './usage-server.ts'
import { usageShown } from './usage-shown.ts'

const SETTINGS = {
  ENTREPOT_AUTH_BASIC: 'true',
  // One that has an effect on no answer: what is shown is where it came from.
  ENTREPOT_CONTENT_MAX_DEPTH: '7',
  // The tests of limits are about exact counts, not about how fast a busy test machine is.
  ENTREPOT_COUNTERS_STORE_TIMEOUT_MS: '5000',
  // Failures are counted by address.
  ENTREPOT_TRUSTED_PROXIES: '127.0.0.1',
}

/** Everything of access that one server can show, so that each kind of installation starts once. */
export function accessSuites(kind: InstallationKind): void {
  describe(`access (${kind})`, () => {
    const access = accessServer(kind, SETTINGS)
    settings(access)
    authentication(access)
    keys(access)
    badInput(access)
    ownership(access)
    endpoints(access)
    limits(access)
    passwords(access)
    oauthTokens(access)
    oauthClients(access)
    tickets(access)
    usageOfServer(access)
    usageNow(access)
    // Single servers show this, and more, in files of their own.
    if (kind === 'nodes') usageShown(access)
    secretsInLogs(access)
    metrics(access)
    // About an index of the database, which two nodes have in common.
    if (kind !== 'nodes') manyKeys(access)
    // It changes what it meets, so it is last but for the last admin.
    if (kind !== 'nodes') hostile(access)
    lastAdmin(access)
  })
}
