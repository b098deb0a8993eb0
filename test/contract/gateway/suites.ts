import { describe } from 'node:test'
import { type DatabaseKind, freePort } from '#test-kit'
import { administration } from './admin.ts'
import { adminFindings } from './admin-findings.ts'
import { balancing } from './balancing.ts'
import { bodies } from './bodies.ts'
import { exchange } from './exchange.ts'
import { exchangeOfPlugins } from './exchange-plugins.ts'
import { forwarding } from './forwarding.ts'
import { splitGuard } from './guard.ts'
import { history } from './history.ts'
import { limits } from './limits.ts'
import { LOG_DIRECTORY, loggers } from './loggers.ts'
import { openidStored } from './openid-stored.ts'
import { operation } from './operation.ts'
import { pluginFindings } from './plugin-findings.ts'
import { plugins } from './plugins.ts'
import { protection } from './protection.ts'
import { references, SECRETS_DIR } from './references.ts'
import { routing } from './routing.ts'
import { scripts } from './scripts.ts'
import { selling } from './selling.ts'
import { gatewayServer, gatewaySuite } from './support.ts'
import { usageOfRoutes } from './usage.ts'
import { yamlBodies } from './yaml.ts'

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
    history(gateway)
    yamlBodies(gateway)
    exchange(gateway)
    // About what is written to files, whatever it was read from.
    if (kind === 'sqlite') exchangeOfPlugins(gateway)
  })
}

const usage = gatewaySuite('usage', ({ kind, server }) =>
  usageOfRoutes(kind, () => [server(), server()]),
)

/** What one server shows of plugins, the selling ones above all. */
export function pluginSuites(kind: DatabaseKind): void {
  describe(`gateway plugins (${kind})`, () => {
    const trusting = { ENTREPOT_GATEWAY_TRUSTED_PROXIES: '127.0.0.1' }
    const logs = { ENTREPOT_GATEWAY_LOG_DIRS: LOG_DIRECTORY }
    const elsewhere = {
      ENTREPOT_SECRETS_DIR: SECRETS_DIR,
      GATEWAY_TEST_VALUE: 'value-of-the-environment',
    }
    const gateway = gatewayServer(kind, { ...PATIENT, ...trusting, ...logs, ...elsewhere })
    plugins(gateway)
    scripts(gateway)
    loggers(gateway)
    pluginFindings(gateway)
    limits(gateway)
    protection(gateway)
    splitGuard(gateway)
    references(gateway)
    bodies(gateway)
    openidStored(gateway)
    selling(gateway)
    usage(gateway)
  })
}
