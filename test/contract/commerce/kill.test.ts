import { test } from 'node:test'
import { killDuringBulk } from './kill.ts'

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`commerce 12: a kill during a bulk loses no operation and does none twice (${kind})`, async (t) => {
    const { open } = await killDuringBulk(kind, { operations: 2_000, kills: 1 })
    t.diagnostic(`${open} operations were open after the kill`)
  })
}
