import { describe } from 'node:test'
import { renderingSuite } from './rendering.ts'

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`rendered pages (${kind})`, () => renderingSuite(kind))
}
