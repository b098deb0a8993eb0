import { DomainError } from '../errors.ts'
import type { Move } from './moves.ts'

/**
 * Undefined: a write may begin, at once. Otherwise resolves when it may, and throws while the installation is being
 * moved to another database.
 */
export type MayWrite = () => Promise<void> | undefined

/** A write that begins later than this after the move was announced is refused, whatever became of notices. */
export const GATE_CLOSES_WITHIN_MS = 3_000
const LOOK_EVERY_MS = 1_000
const RETRY_AFTER_SECONDS = '30'

/**
 * Every thread that writes looks for itself whether it may, at most once a second and beside its writes; only
 * what was not looked at for longer waits for the answer. While it cannot be asked the last answer holds.
 */
export function createWriteGate(findOut: () => Promise<Move | undefined>): MayWrite {
  let isClosed = false
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined
  return () => {
    const ageMs = performance.now() - lookedAtMs
    if (ageMs > LOOK_EVERY_MS) looking ??= look()
    return ageMs > GATE_CLOSES_WITHIN_MS || isClosed ? whenKnown() : undefined
  }

  async function whenKnown() {
    await looking
    if (isClosed) throw moving()
  }

  async function look() {
    const atMs = performance.now()
    try {
      isClosed = (await findOut()) !== undefined
    } catch {
      // Unanswered, or there is no such table yet: the write itself finds out what is wrong.
    } finally {
      lookedAtMs = atMs
      looking = undefined
    }
  }
}

function moving(): DomainError {
  return new DomainError(
    'unavailable',
    'moving',
    'The installation is being moved to another database: it can be read, and written again soon',
    { headers: { 'retry-after': RETRY_AFTER_SECONDS } },
  )
}
