import { badQuery, isRaw } from './brackets.ts'
import { isNo, refuseOptions } from './populate.ts'

const RELATED = 'related'

/** Whether `populate` asks for the entries that use a file: the one thing a file leads to. */
export function populatesRelated(populate: unknown): boolean {
  const names = namesIn(populate)
  const unknown = names.find((name) => name !== RELATED && name !== '*')
  if (unknown === undefined) return names.length > 0
  const message = `there is nothing to populate with the name ${unknown}; files have related`
  throw badQuery(['populate'], `populate: ${message}`)
}

/** `*`, `related`, `populate[0]=related`, `populate[related]=true`, which has no options. */
function namesIn(populate: unknown): string[] {
  if (populate === undefined || populate === '') return []
  if (Array.isArray(populate)) return populate.flatMap(namesIn)
  if (isRaw(populate)) {
    return Object.entries(populate).flatMap(([name, value]) => {
      if (/^\d+$/.test(name)) return namesIn(value)
      if (isNo(value)) return []
      refuseOptions(value, ['populate', name])
      return [name]
    })
  }
  return String(populate)
    .split(',')
    .map((name) => name.trim())
}
