import { describe } from 'node:test'
import { type DatabaseKind, freePort } from '#test-kit'
import { administration } from './admin.ts'
import { adminFindings } from './admin-findings.ts'
import { balancing } from './balancing.ts'
import { forwarding } from './forwarding.ts'
import { openidStored } from './openid-stored.ts'
import { operation } from './operation.ts'
import { pluginFindings } from './plugin-findings.ts'
import { plugins } from './plugins.ts'
import { routing } from './routing.ts'
import { selling } from './selling.ts'
import { gatewayServer, gatewaySuite } from './support.ts'
import { usageOfRoutes } from './usage.ts'

/** For tests about exact counts, not about how fast a busy test machine is. */
export const PATIENT = { ENTREPOT_COUNTERS_STORE_TIMEOUT_MS: '5000' }

/** What one server shows of routes, upstreams and their administration. */
export async function gatewaySuites(kind: DatabaseKind): Promise<void> {
  const settings = {
    ENTREPOT_GATEWAY_ADMIN_PREFIXES: '/other/admin',
    ENTREPOT_GATEWAY_MAX_BODY: String(2 ** 31),
    ENTREPOT_GATEWAY_TLS_PORT: String(await freePort()),
  }
  describe(`gateway (${kind})`, () => {
    const gateway = gatewayServer(kind, settings)
    administration(gateway)
    adminFindings(gateway)
    forwarding(gateway)
    balancing(gateway)
    routing(gateway)
    operation(gateway)
  })
}

const usage = gatewaySuite('usage', ({ kind, server }) =>
  usageOfRoutes(kind, () => [server(), server()]),
)

/** What one server shows of plugins, the selling ones above all. */
export function pluginSuites(kind: DatabaseKind): void {
  describe(`gateway plugins (${kind})`, () => {
    const trusting = { ENTREPOT_GATEWAY_TRUSTED_PROXIES: '127.0.0.1' }
    const gateway = gatewayServer(kind, { ...PATIENT, ...trusting })
    plugins(gateway)
    pluginFindings(gateway)
    openidStored(gateway)
    selling(gateway)
    usage(gateway)
  })
}
