import { test } from 'node:test'
import { killDuringRun } from './kill.ts'

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`scrapers 9: after SIGKILL the same run finishes, every page once (${kind})`, () =>
    killDuringRun(kind, { pages: 120, kills: 2 }))
}
