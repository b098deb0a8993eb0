import { describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { LOOPBACK } from '../webhooks/support.ts'
import { bulks } from './bulk.ts'
import { feedback } from './feedback.ts'
import { orders } from './orders.ts'
import { products } from './products.ts'
import { commerceServer } from './support.ts'

/** Everything of the commerce dialect on one server. */
export function commerceSuites(kind: DatabaseKind): void {
  describe(`commerce (${kind})`, () => {
    const commerce = commerceServer(kind, LOOPBACK)
    products(commerce)
    bulks(commerce)
    feedback(commerce)
    orders(commerce)
  })
}
