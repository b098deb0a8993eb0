import { test } from 'node:test'
import { killDuringRun } from '../contract/scrapers/kill.ts'

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`scrapers 9: ten kills in a run of 300 pages lose and double nothing (${kind})`, () =>
    killDuringRun(kind, { pages: 300, kills: 10 }))
}
