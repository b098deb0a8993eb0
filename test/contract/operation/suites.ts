import { before, describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { behindGatewaySuite } from './behind-gateway.ts'
import { hostileSuite } from './hostile.ts'
import { httpSuite } from './http.ts'
import { fillContent, operationServer } from './support.ts'

const SOME = { count: 300, seed: 12 }

/** What holds for every request, and for the server as a whole. */
export function operationSuites(kind: DatabaseKind): void {
  describe(`operation (${kind})`, () => {
    const operation = operationServer(kind)
    let filled: Awaited<ReturnType<typeof fillContent>> | undefined
    before(async () => {
      filled = await fillContent(operation)
    })
    httpSuite(operation)
    behindGatewaySuite(operation)
    hostileSuite(operation, contentOf, SOME)

    function contentOf() {
      if (!filled) throw new Error('not filled yet')
      return filled
    }
  })
}
