import { describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { httpSuite } from './http.ts'
import { operationServer } from './support.ts'

/** What holds for every request, and for the server as a whole. */
export function operationSuites(kind: DatabaseKind): void {
  describe(`operation (${kind})`, () => {
    const operation = operationServer(kind)
    httpSuite(operation)
  })
}
