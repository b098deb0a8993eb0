import { before, describe } from 'node:test'
import { hostileSuite } from '../contract/operation/hostile.ts'
import { fillContent, operationServer } from '../contract/operation/support.ts'

const EVERY = { count: 10_000, seed: 2026 }

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`hostile requests (${kind})`, () => {
    const operation = operationServer(kind)
    let filled: Awaited<ReturnType<typeof fillContent>> | undefined
    before(async () => {
      filled = await fillContent(operation)
    })
    hostileSuite(
      operation,
      () => {
        if (!filled) throw new Error('not filled yet')
        return filled
      },
      EVERY,
    )
  })
}
