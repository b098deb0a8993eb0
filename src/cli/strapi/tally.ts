import type { Output } from '../command.ts'

const MAX_SHOWN = 50

/** What could not be brought over: told at once, and left out where others lead to it. */
export function createTally(output: Output) {
  const missing = new Set<string>()
  let failed = 0
  return {
    fail(documentId: string, message: string) {
      missing.add(documentId)
      failed++
      output.progress?.('')
      if (failed <= MAX_SHOWN) output.err(message)
      if (failed === MAX_SHOWN) output.err('Further failures are only counted.')
    },
    isMissing: (documentId: string) => missing.has(documentId),
    failed: () => failed,
  }
}

export type Tally = ReturnType<typeof createTally>
