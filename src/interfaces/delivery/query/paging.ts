import { validationFault } from '../errors.ts'
import { firstOf, type Parameter } from './parameters.ts'

const DEFAULT_TAKE = 10
const WHOLE = /^\d{1,15}$/

export interface Page {
  readonly skip: number
  readonly take: number
  /** More was asked for than there may be. */
  readonly isReduced: boolean
}

/** Contract §6.5. */
export function parsePage(parameters: readonly Parameter[], maxTake: number): Page {
  const take = wholeOf(parameters, 'take', DEFAULT_TAKE)
  const skip = wholeOf(parameters, 'skip', 0)
  return { skip, take: Math.min(take, maxTake), isReduced: take > maxTake }
}

function wholeOf(parameters: readonly Parameter[], name: string, otherwise: number): number {
  const given = firstOf(parameters, name)
  if (!given) return otherwise
  if (WHOLE.test(given.value)) return Number(given.value)
  throw validationFault(name, `The value '${given.value}' is not a whole number, 0 or more.`)
}
