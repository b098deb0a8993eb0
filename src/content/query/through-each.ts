import type { Condition, Tagged } from './resolved.ts'

export type Some = Extract<Condition, { kind: 'some' }>

/**
 * Conditions that must all hold, with one question for all that go the same way: a database plans each question for
 * itself, and of hundreds, in every type, that takes seconds. `again` is told what is asked of one and the same thing.
 */
export function throughEach(
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

export function nameOf(step: Some['step']): string {
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
