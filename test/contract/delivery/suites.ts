import { join } from 'node:path'
import { describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { access } from './access.ts'
import { finerPoints } from './finer-points.ts'
import { indexModules } from './index-modules.ts'
import { items } from './items.ts'
import { queries } from './queries.ts'
import { showing } from './showing.ts'
import { deliveryServer } from './support.ts'

/** All of content delivery on one server, which is reached from other addresses too. */
export function deliverySuites(kind: DatabaseKind): void {
  describe(`content delivery (${kind})`, () => {
    const delivery = deliveryServer(kind, {
      ENTREPOT_HOST: '0.0.0.0',
      ENTREPOT_INDEX_MODULES: join(import.meta.dirname, 'index-module.js'),
    })
    items(delivery)
    queries(delivery)
    showing(delivery)
    access(delivery)
    finerPoints(delivery)
    indexModules(delivery)
  })
}
