import type { Dice } from '../content-query/random.ts'

export type Value = string | number | boolean

export interface Thing {
  readonly title: string
  readonly rank: number
  readonly mood: string | null
  readonly whole: number | null
  readonly price: number | null
  readonly flag: boolean | null
  readonly day: string | null
  readonly moment: string | null
  readonly isDraft: boolean
}

type Field = Exclude<keyof Thing, 'isDraft' | 'rank'>
export type Operator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'notIn' | 'contains'

/** What every dialect can ask: all of it must hold. Texts are compared without regard to case. */
export interface Condition {
  readonly field: Field
  readonly operator: Operator
  readonly values: readonly Value[]
}

export interface Question {
  readonly conditions: readonly Condition[]
  /** By members that every thing has: dialects place missing values differently. */
  readonly sort: { readonly field: 'title' | 'rank'; readonly order: 'asc' | 'desc' } | null
  readonly page: number
  readonly size: number
}

const TITLES = [
  'Boat',
  'boat',
  'Über',
  'über',
  'Ångström',
  'a,b',
  'x y',
  'Οδός',
  'ΟΔΌΣ',
  '100%',
  'a_b',
]
const MOODS = ['calm', 'Calm', 'ÉTÉ', 'été', 'Иван', 'ИВАН', 'a b']
const DAYS = ['2026-01-01', '2026-01-02', '2026-02-28', '2025-12-31']
const MOMENTS = ['2026-01-01T00:00:00.000Z', '2026-01-01T12:30:00.000Z', '2026-06-01T00:00:00.000Z']
const PRICES = [0, 0.5, 1, 2.25, 2.5, 100]
const WHOLES = [-3, 0, 1, 2, 7]

export function randomThings(dice: Dice, count: number): readonly Thing[] {
  const maybe = <T>(from: readonly T[]) => (dice.chance(0.25) ? null : dice.pick(from))
  return Array.from({ length: count }, () => ({
    title: dice.pick(TITLES),
    rank: dice.below(5),
    mood: maybe(MOODS),
    whole: maybe(WHOLES),
    price: maybe(PRICES),
    flag: maybe([true, false]),
    day: maybe(DAYS),
    moment: maybe(MOMENTS),
    isDraft: dice.chance(0.15),
  }))
}

export const POOLS: Readonly<Record<Field, readonly Value[]>> = {
  ...{ title: ['o', 'B', 'ü', 'Å', ',', ' ', '%', '_', 'σ'], mood: MOODS, whole: WHOLES },
  ...{ price: PRICES, flag: [true, false], day: DAYS, moment: MOMENTS },
}

const ORDERED: readonly Operator[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte']
const OPERATORS: Readonly<Record<Field, readonly Operator[]>> = {
  title: ['contains'],
  mood: ['eq', 'ne', 'in', 'notIn'],
  whole: [...ORDERED, 'in', 'notIn'],
  price: [...ORDERED, 'in', 'notIn'],
  flag: ['eq', 'ne'],
  day: ORDERED,
  moment: ORDERED,
}
const FIELDS: readonly Field[] = ['title', 'mood', 'whole', 'price', 'flag', 'day', 'moment']

export function randomQuestion(dice: Dice): Question {
  const sort = dice.chance(0.2)
    ? null
    : { field: dice.pick(['title', 'rank'] as const), order: dice.pick(['asc', 'desc'] as const) }
  return {
    conditions: Array.from({ length: dice.below(3) }, () => randomCondition(dice)),
    sort,
    page: dice.below(3) + 1,
    size: dice.pick([1, 7, 20, 100]),
  }
}

function randomCondition(dice: Dice): Condition {
  const field = dice.pick(FIELDS)
  const operator = dice.pick(OPERATORS[field])
  const count = operator === 'in' || operator === 'notIn' ? dice.below(2) + 1 : 1
  const values = Array.from({ length: count }, () => dice.pick(POOLS[field]))
  return { field, operator, values: [...new Set(values)] }
}

/** The answer by looking at every thing. */
export function answerTo(things: readonly Thing[], { conditions, sort, page, size }: Question) {
  const all = things
    .map((thing, place) => ({ thing, place }))
    .filter(({ thing }) => !thing.isDraft && conditions.every((each) => holds(thing, each)))
  const sorted = sort
    ? all.toSorted((a, b) => {
        const by = compare(a.thing[sort.field], b.thing[sort.field])
        return (sort.order === 'asc' ? by : -by) || a.place - b.place
      })
    : all
  const start = (page - 1) * size
  return {
    total: all.length,
    places: sorted.slice(start, start + size).map(({ place }) => place),
  }
}

function holds(thing: Thing, { field, operator, values }: Condition): boolean {
  const own = thing[field]
  const [first = ''] = values
  switch (operator) {
    case 'eq':
    case 'in':
      return own !== null && values.some((value) => same(own, value))
    case 'ne':
    case 'notIn':
      return own === null || !values.some((value) => same(own, value))
    case 'contains':
      return fold(String(own)).includes(fold(String(first)))
    case 'lt':
      return own !== null && own < first
    case 'lte':
      return own !== null && own <= first
    case 'gt':
      return own !== null && own > first
    case 'gte':
      return own !== null && own >= first
  }
}

function same(own: Value, value: Value): boolean {
  return typeof own === 'string' ? fold(own) === fold(String(value)) : own === value
}

/** By code points of the fold, then of the text itself. */
export function compare(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [own, other] = [String(a), String(b)]
  return byBytes(fold(own), fold(other)) || byBytes(own, other)
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}
