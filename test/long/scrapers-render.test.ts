import { test } from 'node:test'
import { firstRenderings } from '../contract/scrapers/rendering.ts'

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`scrapers render: a hundred first pages at once start one browser, and all are answered (${kind})`, () =>
    firstRenderings(kind, 100))
}
