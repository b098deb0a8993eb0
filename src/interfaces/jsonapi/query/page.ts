import { Slot, toSlot } from '#content-query'
import { badParameter } from '../errors.ts'
import type { Parameter, Sent } from './parameters.ts'

export interface Page {
  readonly offset: number
  readonly limit: number
}

export interface PageRules {
  readonly defaultLimit: number
  readonly maxLimit: number
}

/** With a sparse fieldset clients list everything at once (contract §6.3). */
export const PAGES: PageRules = { defaultLimit: 50, maxLimit: 100 }
export const SPARSE_PAGES: PageRules = { defaultLimit: 1_000, maxLimit: 1_000 }

const INTEGER = /^-?\d{1,15}$/

/** Refuses what is wrong with the numbers at once. */
export function pageIn(parameters: readonly Parameter[], rules: PageRules): Slot<Page> {
  const texts = Slot.list(parameters.map(({ value }) => toSlot(value)))
  const page = texts
    .map((all) =>
      parsePage(
        parameters.map((own, at) => ({ ...own, value: all[at] ?? '' })),
        rules,
      ),
    )
    .once()
  page.look(({ limit }) => limit > 0)
  return page
}

function parsePage(parameters: readonly Sent[], rules: PageRules): Page {
  let offset = 0
  let limit = rules.defaultLimit
  for (const parameter of parameters) {
    const [member, ...rest] = parameter.keys
    if (rest.length > 0 || (member !== 'limit' && member !== 'offset')) {
      throw badParameter(parameter.name, 'A page is page[limit] and page[offset]')
    }
    if (member === 'limit') limit = Math.min(wholeOf(parameter, 1), rules.maxLimit)
    else offset = wholeOf(parameter, 0)
  }
  return { offset, limit }
}

function wholeOf({ name, value }: Sent, least: number): number {
  const number = INTEGER.test(value) ? Number(value) : Number.NaN
  if (number >= least) return number
  throw badParameter(name, `${name} must be a whole number, ${least} or more`)
}
