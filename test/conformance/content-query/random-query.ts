import type { Filter, Scalar, SortKey } from '#content-query'
import { POOLS, TEXTS, type TypeName, WORDS } from './documents.ts'
import type { Dice } from './random.ts'

const TEXT = ['title', 'body', 'markup', 'mail', 'mood', 'slug', 'name', 'heading']
const ORDERED = [
  'whole',
  'big',
  'ratio',
  'price',
  'flag',
  'day',
  'hour',
  'moment',
  'age',
  'rank',
  'weight',
]
type Place = TypeName | 'part'

const FIELDS: Readonly<Record<Place, readonly string[]>> = {
  writer: ['id', 'name', 'age'],
  topic: ['id', 'name', 'rank', 'locale'],
  story: [
    'id',
    ...TEXT.slice(0, 6),
    ...ORDERED.slice(0, 8),
    'words',
    'meta',
    'locale',
    'publishedAt',
  ],
  part: ['heading', 'weight', 'words'],
}

const STEPS: Readonly<Record<Place, Readonly<Record<string, Place>>>> = {
  writer: { stories: 'story' },
  topic: { broader: 'topic', stories: 'story' },
  story: { writer: 'writer', topics: 'topic', seo: 'part', blocks: 'part' },
  part: {},
}

const COMPARE = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'notIn', 'between'] as const
const PARTIAL = ['contains', 'notContains', 'startsWith', 'endsWith'] as const

/** A filter that is valid for the place; `depth` bounds its nesting. */
export function randomFilter(dice: Dice, place: Place, depth = 3): Filter {
  const steps = Object.keys(STEPS[place])
  const kind = depth === 0 ? 0 : dice.below(10)
  if (kind === 7) return { kind: 'not', of: randomFilter(dice, place, depth - 1) }
  if (kind === 8) {
    const of = Array.from({ length: dice.below(3) + 1 }, () => randomFilter(dice, place, depth - 1))
    return { kind: dice.pick(['and', 'or'] as const), of }
  }
  if (kind >= 4 && steps.length > 0) return throughStep(dice, place, dice.pick(steps), depth)
  return onField(dice, dice.pick(FIELDS[place]))
}

function throughStep(dice: Dice, place: Place, field: string, depth: number): Filter {
  if (dice.chance(0.15)) return { kind: 'missing', field }
  const target = STEPS[place][field] ?? 'part'
  if (dice.chance(0.2) && target !== 'part') {
    const operator = dice.pick(['eq', 'ne', 'in'] as const)
    return { kind: 'compare', field, operator, fold: false, values: [dice.below(12) + 1] }
  }
  const some = (): Filter => ({ kind: 'some', field, of: randomFilter(dice, target, depth - 1) })
  // Alternatives through one relation are asked as one.
  return dice.chance(0.2) ? { kind: 'or', of: [some(), some()] } : some()
}

function onField(dice: Dice, field: string): Filter {
  if (dice.chance(0.15) || field === 'meta') return { kind: 'missing', field }
  if (field === 'words') return onWords(dice)
  if (TEXT.includes(field) && dice.chance(0.5)) {
    const operator = dice.pick(PARTIAL)
    return { kind: 'compare', field, operator, fold: dice.chance(0.5), values: [partOf(dice)] }
  }
  if (field === 'moment' && dice.chance(0.3)) return onDays(dice)
  const operator = dice.pick(COMPARE)
  const count =
    operator === 'between' ? 2 : operator.toLowerCase().endsWith('in') ? dice.below(4) : 1
  const values = Array.from({ length: count }, () => valueFor(dice, field))
  const fold = TEXT.includes(field) && dice.chance(0.4)
  return { kind: 'compare', field, operator, fold, values: withNull(dice, operator, values) }
}

/** Many of them are asked as a list. */
function onDays(dice: Dice): Filter {
  const day = (): Filter => ({
    ...{ kind: 'compare', field: 'moment', operator: 'day', fold: false, values: [dayFor(dice)] },
  })
  return { kind: 'or', of: Array.from({ length: dice.pick([1, 2, 9]) }, day) }
}

const DAY_MS = 86_400_000

/** The beginning of one that a story may have, or of one beside it. */
function dayFor(dice: Dice): number {
  const moment = new Date(String(valueFor(dice, 'moment'))).getTime()
  return (Math.floor(moment / DAY_MS) + dice.pick([-1, 0, 0, 0])) * DAY_MS
}

const STEP_NAMES = Object.values(STEPS).flatMap((steps) => Object.keys(steps))
/** Texts that begin with it have no end in the order of texts. */
const LAST_TEXT = '\u{10ffff}'

/** The same filter with other values, among them those that are asked for in a way of their own. */
export function otherValues(dice: Dice, filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { ...filter, of: filter.of.map((each) => otherValues(dice, each)) }
    case 'not':
    case 'some':
      return { ...filter, of: otherValues(dice, filter.of) }
    case 'compare':
      return { ...filter, values: valuesFor(dice, filter.field, filter.operator) }
    default:
      return filter
  }
}

function valuesFor(dice: Dice, field: string, operator: string): readonly Scalar[] {
  if (STEP_NAMES.includes(field)) return [dice.chance(0.2) ? null : dice.below(12) + 1]
  if (field === 'words') return [dice.pick(WORDS)]
  if (operator === 'day') return [dayFor(dice)]
  if (PARTIAL.some((each) => each === operator)) return [dice.pick([partOf(dice), '', LAST_TEXT])]
  const isList = operator.toLowerCase().endsWith('in')
  const count = operator === 'between' ? 2 : isList ? dice.below(4) : 1
  const values = Array.from({ length: count }, () => valueFor(dice, field))
  return withNull(dice, operator, values)
}

function withNull(dice: Dice, operator: string, values: readonly Scalar[]): readonly Scalar[] {
  const isAllowed = ['eq', 'ne', 'in', 'notIn'].includes(operator)
  return isAllowed && values.length > 0 && dice.chance(0.1) ? [null, ...values.slice(1)] : values
}

function onWords(dice: Dice): Filter {
  const operator = dice.pick(['contains', 'notContains', 'eq', 'in'] as const)
  const values = [dice.pick(WORDS)]
  return { kind: 'compare', field: 'words', operator, fold: dice.chance(0.5), values }
}

function partOf(dice: Dice): string {
  const points = Array.from(dice.pick(TEXTS))
  const start = dice.below(points.length + 1)
  return points.slice(start, start + 1 + dice.below(3)).join('')
}

function valueFor(dice: Dice, field: string): Scalar {
  if (field === 'id') return dice.below(12) + 1
  if (field === 'locale') return dice.pick(['en', 'fr', 'de'])
  if (field === 'slug') return dice.pick(['s20-en', 'l21-fr', 's'])
  if (field === 'publishedAt') return dice.pick([1000, 1005, 1010])
  return dice.pick(POOLS[field] ?? TEXTS)
}

const SORTS: Readonly<Record<TypeName, readonly string[]>> = {
  writer: ['id', 'name', 'age', 'stories.title', 'stories.whole'],
  topic: ['name', 'rank', 'broader.name', 'locale', 'stories.price'],
  story: [
    ...['id', 'title', 'body', 'mood', 'whole', 'big', 'ratio', 'price', 'flag', 'day', 'moment'],
    ...['writer.name', 'writer.age', 'topics.name', 'topics.rank', 'topics.broader.name'],
    ...['seo.heading', 'blocks.weight', 'locale'],
  ],
}

/** Names of all types: what one of them does not have is not true of its entries, and is missing. */
export function randomListFilter(dice: Dice, depth = 2): Filter {
  const kind = depth === 0 ? 0 : dice.below(6)
  if (kind === 4) return { kind: 'not', of: randomListFilter(dice, depth - 1) }
  if (kind === 5) {
    const of = Array.from({ length: dice.below(3) + 1 }, () => randomListFilter(dice, depth - 1))
    return { kind: dice.pick(['and', 'or'] as const), of }
  }
  if (kind === 3) return onMix(dice)
  return randomFilter(dice, dice.pick(['writer', 'topic', 'story'] as const), 1)
}

function onMix(dice: Dice): Filter {
  const operator = dice.pick(['eq', 'ne', 'lt', 'gte'] as const)
  const values = [dice.pick([7, 12, 12.5, -3, 0, 'a', 'b'])]
  return { kind: 'compare', field: 'mix', operator, fold: dice.chance(0.5), values }
}

const LIST_SORTS = [
  ...['@name', 'name', 'age', 'rank', 'title', 'whole', 'big', 'ratio', 'price', 'flag', 'day'],
  ...['moment', 'mix', 'locale', 'publishedAt', 'createdAt', 'writer.name', 'stories.title'],
]

export function randomListSort(dice: Dice): SortKey[] {
  return toSort(dice, LIST_SORTS)
}

export function randomSort(dice: Dice, type: TypeName): SortKey[] {
  return toSort(dice, SORTS[type])
}

function toSort(dice: Dice, paths: readonly string[]): SortKey[] {
  return dice.some(paths, 2).map((path) => ({
    path: path.split('.'),
    order: dice.pick(['asc', 'desc'] as const),
  }))
}
