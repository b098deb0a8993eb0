import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstRenderings, renderedPreviews } from '../contract/scrapers/rendering.ts'

const PAGES = Number(process.env['PAGES'] ?? 100)

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`scrapers render: ${PAGES} first pages at once start one browser, and all are answered (${kind})`, () =>
    firstRenderings(kind, PAGES))
}

test(`scrapers render: of ${PAGES} previews at once each shows its page or says why not (sqlite)`, async (t) => {
  const outcomes = await renderedPreviews('sqlite', PAGES)
  t.diagnostic(JSON.stringify(Object.fromEntries(outcomes)))
  assert.ok((outcomes.get('rendered') ?? 0) >= 2, 'those that began at once are shown')
})
