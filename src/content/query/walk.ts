import type { GivenPage, OffsetPage, PageChoice, Scalar } from './ast.ts'
import type { Position, Walk } from './resolved.ts'
import { type Operand, type Slot, toSlot } from './slot.ts'

/** The first so many of a list, not counted. */
export function firstPage(limit: Operand<number>): OffsetPage {
  return { kind: 'offset', start: 0, limit, count: false }
}

/** How a page is walked to, whatever kind of page was asked for. */
export function toWalk(page: PageChoice): Walk {
  const limit = toSlot(page.limit)
  if (page.kind === 'offset') {
    const start = toSlot(page.start)
    const isStart = start.look((first) => first <= 0)
    const walk = { limit, count: page.count, after: null, until: null, backwards: false }
    return { ...walk, start: isStart ? null : start, hasPositions: false }
  }
  if (page.kind === 'cursor') {
    const { position, until = null, direction, count } = page
    const ends = { after: toPosition(position), until: toPosition(until) }
    const backwards = direction === 'prev'
    return { ...ends, backwards, start: null, limit, count, hasPositions: true }
  }
  const { after, before } = page
  const rest = { start: null, limit, count: false, hasPositions: false }
  const bound = before === null ? null : [toSlot(before)]
  if (after !== null) return { after: [toSlot(after)], until: bound, backwards: false, ...rest }
  return { after: bound, until: null, backwards: before !== null, ...rest }
}

/** Missing values sort apart from others. */
export function toPosition(position: readonly Operand<Scalar>[] | null): Position | null {
  if (!position) return null
  return position.map(toSlot).map((slot) => (slot.look((value) => value === null) ? null : slot))
}

/** The page that the values of a question choose. */
export function pageIn(given: Slot<GivenPage>): PageChoice {
  const limit = given.map((page) => page.limit)
  switch (given.look(({ kind }) => kind)) {
    case 'offset': {
      const start = given.map((page) => (page.kind === 'offset' ? page.start : 0))
      return { kind: 'offset', start, limit, count: given.look(isCounted) }
    }
    case 'keyset': {
      const after = given.map((page) => (page.kind === 'keyset' ? page.after : null))
      const before = given.map((page) => (page.kind === 'keyset' ? page.before : null))
      return { kind: 'keyset', after: unlessNull(after), before: unlessNull(before), limit }
    }
    case 'cursor': {
      const position = given.map((page) => (page.kind === 'cursor' ? page.position : null))
      const length = position.look((values) => values?.length ?? null)
      const direction = given.look((page) => (page.kind === 'cursor' ? page.direction : 'next'))
      const values = Array.from({ length: length ?? 0 }, (_, at) =>
        position.map((all) => all?.[at] ?? null),
      )
      const count = given.look(isCounted)
      return { kind: 'cursor', position: length === null ? null : values, direction, limit, count }
    }
  }
}

function isCounted(page: GivenPage): boolean {
  return page.kind !== 'keyset' && page.count
}

function unlessNull(slot: Slot<number | null>): Slot<number> | null {
  return slot.look((value) => value === null) ? null : slot.map(Number)
}
