import { describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { commerceClients } from '../../conformance/commerce-clients.ts'
import { LOOPBACK } from '../webhooks/support.ts'
import { bulks } from './bulk.ts'
import { busyStorage } from './busy.ts'
import { categories } from './categories.ts'
import { lists } from './criteria.ts'
import { feedback } from './feedback.ts'
import { oauth } from './oauth.ts'
import { orders } from './orders.ts'
import { products } from './products.ts'
import { shop } from './shop.ts'
import { commerceServer } from './support.ts'
import { tokens } from './tokens.ts'
import { turns } from './turns.ts'

/** Everything of the commerce dialect on one server. */
export function commerceSuites(kind: DatabaseKind): void {
  describe(`commerce (${kind})`, () => {
    const commerce = commerceServer(kind, LOOPBACK)
    categories(commerce)
    products(commerce)
    bulks(commerce)
    turns(commerce)
    busyStorage(commerce)
    feedback(commerce)
    orders(commerce)
    lists(commerce)
    tokens(commerce)
    oauth(commerce)
    commerceClients(commerce)
    shop(commerce)
  })
}
