// The process that makes smaller pictures: a file that makes the decoder crash or swell ends only this.

import { constants, setPriority } from 'node:os'
import { createMaker } from './make.ts'
import type { PictureOrder, PictureOutcome } from './order.ts'

try {
  // Nobody waits for a smaller picture; what answers requests goes first.
  setPriority(constants.priority.PRIORITY_LOW)
} catch {
  // A sandbox that forbids it costs others some latency and nothing else.
}
const make = await createMaker().catch((error: Error): string => error.message)

process.on('message', (order: PictureOrder) => void answer(order))
process.on('disconnect', () => process.exit(0))

async function answer(order: PictureOrder): Promise<void> {
  process.send?.(await outcomeOf(order))
}

async function outcomeOf(order: PictureOrder): Promise<PictureOutcome> {
  if (typeof make === 'string') return { kind: 'unable', message: make }
  try {
    return { kind: 'made', ...(await make(order)) }
  } catch (error) {
    return { kind: 'refused', message: error instanceof Error ? error.message : String(error) }
  }
}
