import type { PageChoice, Scalar } from './ast.ts'

/** How a page is walked to, whatever kind of page was asked for. */
export interface Walk {
  readonly after: readonly Scalar[] | null
  readonly until: readonly Scalar[] | null
  /** Against the order of the list. */
  readonly backwards: boolean
  readonly start: number
  readonly limit: number
  readonly count: boolean
}

export function toWalk(page: PageChoice): Walk {
  if (page.kind === 'offset') {
    const { start, limit, count } = page
    return { start, limit, count, after: null, until: null, backwards: false }
  }
  if (page.kind === 'cursor') {
    const { position, until = null, direction, limit, count } = page
    return { after: position, until, backwards: direction === 'prev', start: 0, limit, count }
  }
  const { after, before, limit } = page
  const rest = { start: 0, limit, count: false }
  const bound = before === null ? null : [before]
  if (after !== null) return { after: [after], until: bound, backwards: false, ...rest }
  return { after: bound, until: null, backwards: before !== null, ...rest }
}
