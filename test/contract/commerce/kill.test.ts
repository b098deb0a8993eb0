import { test } from 'node:test'
import { killDuringAcceptance, killDuringBulk, killLeaderOfTwo } from './kill.ts'

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`commerce 12: a kill during a bulk loses no operation and does none twice (${kind})`, async (t) => {
    const { open } = await killDuringBulk(kind, { operations: 2_000, kills: 1 })
    t.diagnostic(`${open} operations were open after the kill`)
  })

  test(`commerce 12: of a bulk that arrives during a kill all is known or nothing (${kind})`, async (t) => {
    const { known } = await killDuringAcceptance(kind, 1_000)
    t.diagnostic(`${known} operations were known after the kill`)
  })
}

test('commerce 12: of two nodes the one that carries a bulk out dies, and the other ends it, each operation once', async () => {
  await killLeaderOfTwo(800)
})
