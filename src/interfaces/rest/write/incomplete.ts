import type { Store, Tx } from '#db'
import { DomainError, type Issue, invalid } from '#kernel'

/** What is said of the input, as opposed to the record not being there. */
const ABOUT_INPUT = ['invalid', 'unprocessable', 'conflict']

/**
 * Refuses a full update that lacks something. It is tried and undone, so that all that is wrong is
 * told at once, and an unknown record as such.
 */
export async function refuseIncomplete(
  transaction: Store['transaction'],
  missing: readonly Issue[],
  perform: (tx: Tx) => Promise<unknown>,
): Promise<never> {
  const undo = new Error('only tried')
  const found: unknown = await transaction(undefined, async (tx) => {
    await perform(tx)
    throw undo
  }).catch((error) => error)
  const refusal = found instanceof DomainError ? found : undefined
  if (found !== undo && !ABOUT_INPUT.includes(refusal?.kind ?? '')) throw found
  const others = refusal?.kind === 'invalid' ? refusal.issues : []
  const known = new Set(missing.map(({ path }) => path.join('.')))
  throw invalid([...missing, ...others.filter(({ path }) => !known.has(path.join('.')))])
}
