import { test } from 'node:test'
import { firstRenderings } from '../contract/scrapers/rendering.ts'

const PAGES = Number(process.env['PAGES'] ?? 100)

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`scrapers render: ${PAGES} first pages at once start one browser, and all are answered (${kind})`, () =>
    firstRenderings(kind, PAGES))
}
