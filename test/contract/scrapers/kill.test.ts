import { test } from 'node:test'
import { endDuringFile, killDuringRun } from './kill.ts'

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`scrapers 9: after SIGKILL the same run finishes, every page once (${kind})`, () =>
    killDuringRun(kind, { pages: 120, kills: 2 }))

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`scrapers media: a file under way at ${signal} comes with its page after it (${kind})`, () =>
      endDuringFile(kind, signal))
  }
}
