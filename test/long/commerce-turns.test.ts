import { test } from 'node:test'
import { startServer, tell } from '#test-kit'
import { caller, commerceInstallation } from '../contract/commerce/support.ts'
import { takeTurns } from '../contract/commerce/turns.ts'

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`commerce §5.2: 10,000 products and 2,000 changes of one hold nobody else up (${kind})`, async () => {
    const server = await startServer(await commerceInstallation(kind))
    const commerce = caller(() => server.url)
    const left = await takeTurns(commerce, { products: 10_000, ofOneSku: 2_000 })
    tell(`${kind}: ${left.openOfAll} and ${left.openOfOne} were left`)
  })
}
