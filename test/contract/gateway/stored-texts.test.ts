import { describe } from 'node:test'
import { hostileStores } from './stored-texts.ts'
import { gatewayServer } from './support.ts'

describe('gateway (sqlite)', () => {
  const gateway = gatewayServer('sqlite', { ENTREPOT_GATEWAY_THREADS: '1' })
  hostileStores(() => gateway, { isWhole: false, requests: 1_000 })
})
