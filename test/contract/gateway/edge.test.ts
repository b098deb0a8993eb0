import { describe } from 'node:test'
import { freePort } from '#test-kit'
import { clientCertificates } from './client-certificates.ts'
import { failures } from './failures.ts'
import { hostile } from './hostile.ts'
import { replacedThreads } from './replaced.ts'
import { gatewayServer } from './support.ts'
import { encryption } from './tls.ts'

// The data plane knows no database: one is enough.
const settings = { ENTREPOT_GATEWAY_TLS_PORT: String(await freePort()) }
describe('gateway, where it meets the world', () => {
  const gateway = gatewayServer('sqlite', settings)
  failures(gateway)
  hostile(gateway)
  clientCertificates(gateway)
  encryption(gateway)
  replacedThreads(gateway)
})
