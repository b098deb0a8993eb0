import { dayAt, dayOf, nextDayFrom, parseMoment, refused } from '#commerce'
import { ALWAYS, compare, isMet, NEVER } from '#content-dialect'
import { type Filter, type Slot, textOf } from '#content-query'
import { meaningOf, type PlainCondition } from './conditions.ts'
import type { CriteriaFilter } from './criteria.ts'
import type { ProductField } from './product-fields.ts'

type Texts = readonly Slot<string>[]

const SECOND_MS = 1_000

/** One filter of criteria, its values as slots. */
export function toFilter(field: ProductField, asked: CriteriaFilter, values: Texts): Filter {
  const { plain, isNegated } = meaningOf(asked.condition)
  const filter = positive(field, asked.field, plain, values)
  return isNegated ? { kind: 'not', of: filter } : filter
}

function positive(
  field: ProductField,
  at: string,
  condition: PlainCondition,
  values: Texts,
): Filter {
  switch (field.kind) {
    case 'status':
      return byStatus(at, condition, values)
    case 'fixed':
      return holds(field.value, at, condition, values) ? ALWAYS : NEVER
    case 'time':
      return byTime(field.name, at, condition, values)
    case 'day':
      return byDay(field.name, at, condition, values)
    case 'related':
    case 'tags':
      return byMember(field.name, at, condition, values)
    case 'column':
      return byColumn(field, at, condition, values)
  }
}

function byColumn(
  { name, isText }: Extract<ProductField, { kind: 'column' }>,
  at: string,
  condition: PlainCondition,
  values: Texts,
): Filter {
  switch (condition) {
    case 'missing':
      return { kind: 'missing', field: name, at: [at] }
    case 'in':
      return compare(name, 'in', values, { at })
    case 'like':
      return compare(name, 'like', onlyOf(values), { fold: true, at })
    case 'member':
      return isText
        ? inTextList(name, onlyOf(values), at)
        : compare(name, 'eq', onlyOf(values), { at })
    default:
      return compare(name, condition, onlyOf(values), { at })
  }
}

/** `b` is in `a,b,c`. */
function inTextList(name: string, value: Slot<string>, at: string): Filter {
  return {
    kind: 'or',
    of: [
      compare(name, 'eq', value, { at }),
      compare(
        name,
        'startsWith',
        value.map((text) => `${text},`),
        { at },
      ),
      compare(
        name,
        'endsWith',
        value.map((text) => `,${text}`),
        { at },
      ),
      compare(
        name,
        'contains',
        value.map((text) => `,${text},`),
        { at },
      ),
    ],
  }
}

function byMember(name: string, at: string, condition: PlainCondition, values: Texts): Filter {
  if (condition === 'missing') return { kind: 'missing', field: name, at: [at] }
  if (condition === 'in') return compare(name, 'in', values, { at })
  if (condition === 'eq' || condition === 'member')
    return compare(name, 'eq', onlyOf(values), { at })
  throw notForField(at)
}

/** Times are shown in whole seconds, and compared as they are shown. */
function byTime(name: string, at: string, condition: PlainCondition, values: Texts): Filter {
  if (condition === 'missing') return { kind: 'missing', field: name, at: [at] }
  if (condition === 'in')
    return { kind: 'or', of: values.map((value) => duringSecond(name, at, value)) }
  if (condition === 'eq') return duringSecond(name, at, onlyOf(values))
  if (condition === 'like' || condition === 'member') throw notForField(at)
  const isAfter = condition === 'gt' || condition === 'lte'
  return compare(name, condition, momentOf(onlyOf(values), isAfter ? SECOND_MS - 1 : 0), { at })
}

function duringSecond(name: string, at: string, value: Slot<string>): Filter {
  const ends = [momentOf(value, 0), momentOf(value, SECOND_MS - 1)]
  return compare(name, 'between', ends, { at })
}

/** What is no time stays as it is, and is refused as such. */
function momentOf(value: Slot<string>, plusMs: number): Slot<string> {
  return value.map((text) => {
    const ms = parseMoment(text)
    return ms === undefined ? text : String(Math.floor(ms / SECOND_MS) * SECOND_MS + plusMs)
  })
}

/** A day is its first moment: of times inside a day the next or the same day is the one to compare with. */
function byDay(name: string, at: string, condition: PlainCondition, values: Texts): Filter {
  if (condition === 'missing') return { kind: 'missing', field: name, at: [at] }
  if (condition === 'in') {
    const days = values.map((value) => dayFor(value, dayAt))
    return compare(name, 'in', days, { at })
  }
  if (condition === 'like' || condition === 'member') throw notForField(at)
  const isUp = condition === 'lt' || condition === 'gte'
  const round = condition === 'eq' ? dayAt : isUp ? nextDayFrom : dayOf
  return compare(name, condition, dayFor(onlyOf(values), round), { at })
}

/** What is no day stays as it is, and is refused as such. */
function dayFor(value: Slot<string>, round: (ms: number) => string | undefined): Slot<string> {
  return value.map((text) => {
    const ms = parseMoment(text)
    return (ms === undefined ? undefined : round(ms)) ?? text
  })
}

/** Published products have 1, with a newer draft too. */
function byStatus(at: string, condition: PlainCondition, values: Texts): Filter {
  const isWanted = ([1, 2] as const).map((status) => holds(status, at, condition, values))
  const [isPublished, isUnpublished] = isWanted
  if (isPublished === isUnpublished) return isPublished ? ALWAYS : NEVER
  const draft = compare('@status', 'eq', 'draft')
  return isUnpublished ? draft : { kind: 'not', of: draft }
}

/** Of a value that is known without asking the store: what it is compared with decides the plan. */
function holds(
  value: string | number,
  at: string,
  condition: PlainCondition,
  values: Texts,
): boolean {
  const texts = values.map(textOf)
  if (condition === 'missing') return false
  if (condition === 'like') throw notForField(at)
  if (typeof value === 'number') {
    const wrong = texts.find((text) => text === '' || Number.isNaN(Number(text)))
    if (wrong !== undefined) {
      const parameters = { fieldName: at, value: wrong, type: 'a number' }
      throw refused({ message: '"%fieldName" must be %type, got "%value".', parameters })
    }
  }
  return isMet(value, condition === 'member' ? 'eq' : condition, texts)
}

function onlyOf(values: Texts): Slot<string> {
  const [first] = values
  if (!first) throw new Error('a condition of one value has none')
  return first
}

function notForField(fieldName: string) {
  const message = 'This condition cannot be asked of "%fieldName".'
  return refused({ message, parameters: { fieldName } })
}
