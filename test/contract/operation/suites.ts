import { before, describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { behindGatewaySuite } from './behind-gateway.ts'
import { documentsSuite } from './documents.ts'
import { hostileSuite } from './hostile.ts'
import { httpSuite } from './http.ts'
import { metricsSuite } from './metrics.ts'
import { otherOperationsSuite } from './other-operations.ts'
import { overviewSuite } from './overview.ts'
import { BACKUPS, scheduledBackupsSuite } from './scheduled-backups.ts'
import { fillContent, operationServer } from './support.ts'
import { typeOperationsSuite } from './type-operations.ts'

const SOME = { count: 300, seed: 12 }

/** What holds for every request, and for the server as a whole. */
export function operationSuites(kind: DatabaseKind): void {
  describe(`operation (${kind})`, () => {
    const operation = operationServer(kind, BACKUPS)
    let filled: Awaited<ReturnType<typeof fillContent>> | undefined
    before(async () => {
      filled = await fillContent(operation)
    })
    httpSuite(operation)
    typeOperationsSuite(operation)
    otherOperationsSuite(operation)
    documentsSuite(operation)
    behindGatewaySuite(operation)
    metricsSuite(operation)
    overviewSuite(operation)
    hostileSuite(operation, contentOf, SOME)
    scheduledBackupsSuite(operation)

    function contentOf() {
      if (!filled) throw new Error('not filled yet')
      return filled
    }
  })
}
