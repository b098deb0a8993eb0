import type { Condition, Tagged } from './resolved.ts'
import { Slot } from './slot.ts'

/** The same condition with few questions for many alternatives: what a database is asked. */
export function withLists(condition: Condition): Condition {
  return listed(condition, comparisonsIn(condition) > MANY_IN_ALL)
}

function listed(condition: Condition, isLong: boolean): Condition {
  switch (condition.kind) {
    case 'and': {
      const again = (each: Condition) => listed(each, isLong)
      if (!isLong && condition.of.length <= FEW_QUESTIONS) {
        return { ...condition, of: condition.of.map(again) }
      }
      const parts = flat('and', condition.of)
      const of = (isLong ? noneOf(parts) : parts).map(again)
      return { ...condition, of: throughEach(flat('and', of), again) }
    }
    case 'or': {
      const alternatives = isLong ? notAllOf(flat('or', condition.of)) : condition.of
      const of = inLists(throughOne(alternatives), isLong)
      return { ...condition, of: of.map((each) => listed(each, isLong)) }
    }
    case 'not':
      return { ...condition, of: listed(condition.of, isLong) }
    case 'some':
      return condition.of ? { ...condition, of: listed(condition.of, isLong) } : condition
    default:
      return condition
  }
}

/** Groups within groups of the same kind, and groups of one, are no groups of their own. */
function flat(kind: 'and' | 'or', parts: readonly Condition[]): readonly Condition[] {
  return parts.flatMap((each) => {
    if (each.kind !== 'and' && each.kind !== 'or') return [each]
    return each.kind === kind || each.of.length === 1 ? flat(kind, each.of) : [each]
  })
}

/** That neither this nor that is true is one question, whose alternatives may be one list. */
function noneOf(parts: readonly Condition[]): readonly Condition[] {
  const negated = parts.flatMap((each) =>
    each.kind === 'not' && isJoinable(each.of) ? [each] : [],
  )
  if (negated.length < 2) return parts
  const of = negated.flatMap((each) => (each.of.kind === 'or' ? each.of.of : [each.of]))
  const none: Condition = { kind: 'not', of: { kind: 'or', of } }
  return [...parts.filter((each) => !negated.some((one) => one === each)), none]
}

/** That this or that is not true: not all of it is, which may be few questions. */
function notAllOf(parts: readonly Condition[]): readonly Condition[] {
  const negated = parts.flatMap((each) =>
    each.kind === 'not' && isJoinable(each.of) ? [each] : [],
  )
  if (negated.length < 2) return parts
  const all: Condition = { kind: 'and', of: negated.map(({ of }) => of) }
  return [...parts.filter((each) => !negated.some((one) => one === each)), { kind: 'not', of: all }]
}

/** Flags that nearly all entries have are looked for among the parts of a condition. */
function isJoinable({ kind }: Condition): boolean {
  return kind === 'or' || kind === 'compare' || kind === 'some' || kind === 'tagged'
}

function comparisonsIn(condition: Condition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.of.reduce((sum, each) => sum + comparisonsIn(each), 0)
    case 'not':
      return comparisonsIn(condition.of)
    case 'some':
      return condition.of ? comparisonsIn(condition.of) : 1
    default:
      return 1
  }
}

/** Whether one of what a field refers to fulfils this or that is one question, and not one for each alternative. */
function throughOne(alternatives: readonly Condition[]): readonly Condition[] {
  const some = alternatives.filter((each) => each.kind === 'some')
  if (some.length < 2) return alternatives
  const groups = Map.groupBy(some, ({ step, of }) => (of ? nameOf(step) : ''))
  return [
    ...alternatives.filter((each) => each.kind !== 'some'),
    ...[...groups].flatMap(([name, group]) => (name === '' ? group : [joinedSome(group)])),
  ].flat()
}

function joinedSome(group: readonly Some[]): Some[] {
  const [first] = group
  if (!first || group.length === 1) return [...group]
  const of = group.flatMap((each) => each.of ?? [])
  return [{ ...first, of: { kind: 'or', of } }]
}

type Comparison = Extract<Condition, { kind: 'compare' }>

type Listed = Comparison | Tagged

/** Planning so many alternatives takes a database longer than reading them as a list. */
const MANY_ALTERNATIVES = 16
/** Each is a range. */
const MANY_DAYS = 4
/**
 * Beyond so many comparisons planning takes longer than anything else: each stands in the statement several times for
 * every type, and SQLite looks for an index for every alternative. Then two are a list already.
 */
const MANY_IN_ALL = 30
/** So many that must all hold are planned together in little time, and each may be the one to begin with. */
const FEW_QUESTIONS = 4

/** Many values that one column may equal or contain are one list, and no more than one bound value. */
function inLists(alternatives: readonly Condition[], isLong: boolean): readonly Condition[] {
  if (alternatives.length < 2) return alternatives
  const groups = Map.groupBy(alternatives.filter(mayBeListed), listOf)
  const merged = [...groups.values()].flatMap((group) =>
    group.length < (isLong ? 2 : manyOf(group)) ? group : [merge(group)],
  )
  return [...alternatives.filter((each) => !mayBeListed(each)), ...merged.flat()]
}

/** How often a statement names one table at most to ask for a condition. */
export function referencesIn(condition: Condition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.of.reduce((sum, each) => sum + referencesIn(each), 0)
    case 'not':
      return referencesIn(condition.of)
    case 'some':
      // Links and targets twice each where a variant is chosen.
      return 2 + (condition.of ? referencesIn(condition.of) : 0)
    case 'each':
      return 2 + condition.of.reduce((sum, each) => sum + referencesIn(each), 0)
    case 'compare':
      return isListed(condition) && !condition.fold && condition.column.fold ? 2 : 1
    default:
      return 2
  }
}

function isListed({ operator }: Comparison): boolean {
  return operator === 'in' || operator === 'containsOneOf' || operator === 'onDays'
}

function manyOf([first]: readonly Listed[]): number {
  if (first?.kind !== 'compare') return MANY_ALTERNATIVES
  if (first.operator === 'in') return 2
  return first.operator === 'day' ? MANY_DAYS : MANY_ALTERNATIVES
}

function mayBeListed(condition: Condition): condition is Listed {
  if (condition.kind === 'tagged') return true
  return condition.kind === 'compare' && LISTED_AS.has(condition.operator)
}

const LISTED_AS: ReadonlyMap<Comparison['operator'], Comparison['operator']> = new Map([
  ['eq', 'in'],
  ['in', 'in'],
  ['contains', 'containsOneOf'],
  ['day', 'onDays'],
])

/** Those of one list have the same text here. */
function listOf(listed: Listed): string {
  if (listed.kind === 'tagged') return `tags ${listed.fold} ${listed.attribute.no}`
  const { column, operator, fold } = listed
  return `${operator} ${column.registry} ${fold} ${column.name}`
}

function merge(group: readonly Listed[]): Condition[] {
  const [first] = group
  if (first?.kind === 'tagged') {
    const lists = group.flatMap((each) => (each.kind === 'tagged' ? [each.list] : []))
    return [{ ...first, list: Slot.list(lists).map((all) => all.flat()) }]
  }
  if (!first) return []
  const slots = group.flatMap((each) => (each.kind === 'compare' ? each.values : []))
  const operator = LISTED_AS.get(first.operator) ?? first.operator
  const list = Slot.list(slots)
  const values = [first.operator === 'in' ? list.map((lists) => lists.flat()) : list]
  return [{ ...first, operator, values }]
}

type Some = Extract<Condition, { kind: 'some' }>

/**
 * Conditions that must all hold, with one question for all that go the same way: a database plans each question for
 * itself, and of hundreds, in every type, that takes seconds. `again` is told what is asked of one and the same thing.
 */
function throughEach(
  parts: readonly Condition[],
  again: (condition: Condition) => Condition,
): readonly Condition[] {
  const some = groupsOf(
    parts.filter((each) => each.kind === 'some').filter(({ of }) => of),
    wayOf,
  )
  const tagged = groupsOf(
    parts.filter((each) => each.kind === 'tagged'),
    tagsOf,
  )
  const joined = new Set<Condition>([...some, ...tagged].flat())
  const others = parts.filter((each) => !joined.has(each))
  const one = some.filter(([first]) => first && isToOne(first)).map((group) => ofOne(group, again))
  const many = some.filter(([first]) => first && !isToOne(first))
  const questions = [...many.map(ofMany), ...tagged.map(ofTags)]
  // One alone can be asked first, by an index; whoever is asked of each entry finds few then.
  const [first] = [...many, ...tagged][0] ?? []
  return [...others, ...one, ...(first && one.length === 0 ? [first] : []), ...questions]
}

/** Those of which there are several. */
function groupsOf<Part>(parts: readonly Part[], nameIn: (part: Part) => string): readonly Part[][] {
  return [...Map.groupBy(parts, nameIn).values()].filter(({ length }) => length > 1)
}

function wayOf({ step }: Some): string {
  return nameOf(step)
}

function tagsOf({ attribute }: Tagged): string {
  return String(attribute.no)
}

function nameOf(step: Some['step']): string {
  return step.kind === 'indexed' ? step.key : `${step.kind} ${step.attribute.no}`
}

/** There is one at most, so that all of it is said of the same. */
function isToOne({ step }: Some): boolean {
  switch (step.kind) {
    case 'relation':
      return step.attribute.side === 'owning' && step.attribute.relation.endsWith('ToOne')
    case 'component':
      return !step.attribute.repeatable
    case 'media':
      return !step.attribute.multiple
    case 'indexed':
      return false
  }
}

function ofOne(group: readonly Some[], again: (condition: Condition) => Condition): Condition {
  const all = group.flatMap(({ of }) => of ?? [])
  const [first] = group
  const of: Condition = { kind: 'and', of: all }
  return first ? { ...first, of: again(of) } : of
}

function ofMany(group: readonly Some[]): Condition {
  const of = group.flatMap((each) => each.of ?? [])
  const [first] = group
  return first ? { kind: 'each', step: first.step, of } : { kind: 'and', of }
}

function ofTags(of: readonly Tagged[]): Condition {
  return { kind: 'taggedEach', of }
}
