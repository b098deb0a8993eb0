import { describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { hostileStores } from '../contract/gateway/stored-texts.ts'
import { gatewayServer } from '../contract/gateway/support.ts'

for (const kind of ['sqlite', 'postgres'] satisfies DatabaseKind[]) {
  describe(`gateway (${kind})`, () => {
    const gateway = gatewayServer(kind)
    hostileStores(() => gateway, { isWhole: true, requests: 10_000 })
  })
}
