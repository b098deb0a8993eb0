import type { Issue } from '#kernel'
import type { RelationKind } from '../model.ts'
import type { RelationOptions } from './definition.ts'
import type { DraftAttribute, Numbering, RelationEnd, TypeDraft } from './draft.ts'
import { issue } from './parse-attribute.ts'

const INVERSE: Readonly<Record<RelationKind, RelationKind>> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
}

interface Named {
  readonly type: TypeDraft
  readonly attribute: DraftAttribute
  readonly end: RelationEnd
}

export interface PairingInput {
  readonly types: readonly TypeDraft[]
  /** By every name a type has; undefined for types that are unknown or about to be removed. */
  findType(name: string): TypeDraft | undefined
  readonly next: Numbering
}

/**
 * Settles both ends of every relation (content model §4): adds the ends that callers only named,
 * follows renames, and drops what has lost its other end. Changes the drafts in place.
 */
export function pairRelations({ types, findType, next }: PairingInput): Issue[] {
  const issues: Issue[] = []
  const edited = types.filter((type) => type.edited)
  for (const type of edited) for (const each of type.attributes) settleOwn(each)
  for (const type of types.filter((each) => !each.edited)) followOthers(type)
  for (const type of edited) {
    for (const named of endsOf(type)) if (named.end.other !== null) pair(named, named.end.other)
  }
  return issues

  /** The end as its own definition says, before the other one is looked at. */
  function settleOwn(attribute: DraftAttribute) {
    const { options } = attribute
    if (options.type !== 'relation') return
    const target = findType(options.target)
    if (!target) {
      const sentence = `names no content type: ${options.target}`
      issues.push(issue([...attribute.at, 'target'], 'unknown_target', sentence))
      return
    }
    leaveOldTarget(attribute, target)
    const names = [options.inversedBy, options.mappedBy, options.targetAttribute]
    const given = names.filter((name) => name !== undefined)
    if (given.length > 1) {
      const sentence = 'takes only one of inversedBy, mappedBy and targetAttribute'
      issues.push(issue(attribute.at, 'conflict', sentence))
    }
    const other = given[0] ?? null
    const kind = options.relation
    attribute.end = {
      kind,
      target: target.spec.singularName,
      other,
      side: other === null ? 'owning' : sideOf(kind, options),
    }
  }

  /** Links to documents of another type mean nothing any more. */
  function leaveOldTarget(attribute: DraftAttribute, target: TypeDraft) {
    const { before } = attribute
    const former = target.before?.definition.singularName
    if (before?.type !== 'relation' || before.target === former) return
    attribute.before = null
    attribute.no = next()
  }

  /** Ends in types that are not edited: their other end may be renamed, changed or gone. */
  function followOthers(type: TypeDraft) {
    type.attributes = type.attributes.flatMap((attribute) => {
      const { end } = attribute
      if (!end) return [attribute]
      const target = findType(end.target)
      if (!target) return []
      attribute.end = { ...end, target: target.spec.singularName }
      if (end.other === null || !target.edited) return [attribute]
      const partner = target.attributes.find(
        (each) => (each.before?.name ?? each.name) === end.other && refersTo(each, type, attribute),
      )
      if (partner) {
        attribute.end = { ...attribute.end, other: partner.name }
        return [attribute]
      }
      if (end.side === 'inverse') return []
      attribute.end = { ...attribute.end, other: null }
      return [attribute]
    })
  }

  function refersTo(each: DraftAttribute, type: TypeDraft, attribute: DraftAttribute): boolean {
    const names = [type.spec.singularName, type.before?.definition.singularName]
    return names.includes(each.end?.target) && each.end?.other === attribute.name
  }

  function pair({ type, attribute, end }: Named, other: string) {
    const target = findType(end.target)
    if (!target) return
    if (target === type && other === attribute.name) {
      issues.push(issue(attribute.at, 'conflict', 'cannot be its own other end'))
      return
    }
    const partner = target.attributes.find(({ name }) => name === other)
    if (!partner) return void target.attributes.push(addEnd(type, attribute, end, other))
    settlePair(type, attribute, end, target, partner)
  }

  function addEnd(type: TypeDraft, attribute: DraftAttribute, end: RelationEnd, name: string) {
    const side = end.side === 'inverse' ? 'owning' : 'inverse'
    attribute.end = { ...end, side: side === 'owning' ? 'inverse' : 'owning' }
    const kind = INVERSE[end.kind]
    const target = type.spec.singularName
    const added: DraftAttribute = {
      no: next(),
      name,
      options: { ...PLAIN, relation: kind, target },
      before: null,
      at: attribute.at,
      end: { kind, target, other: attribute.name, side },
    }
    return added
  }

  function settlePair(
    type: TypeDraft,
    attribute: DraftAttribute,
    end: RelationEnd,
    target: TypeDraft,
    partner: DraftAttribute,
  ) {
    const theirs = partner.end
    const problem = theirs ? mismatch(type, attribute, end, target, theirs) : 'is no relation'
    if (!theirs || problem !== undefined) {
      const sentence = `names ${target.spec.singularName}.${partner.name}, which ${problem}`
      issues.push(issue(attribute.at, 'conflict', sentence))
      return
    }
    const owns = ownsLinks(attribute, end, partner, theirs)
    attribute.end = { ...end, side: owns ? 'owning' : 'inverse' }
    partner.end = {
      kind: INVERSE[end.kind],
      target: type.spec.singularName,
      other: attribute.name,
      side: owns ? 'inverse' : 'owning',
    }
  }

  /** An untouched partner adapts its cardinality; one that was written too has to agree. */
  function mismatch(
    type: TypeDraft,
    attribute: DraftAttribute,
    end: RelationEnd,
    target: TypeDraft,
    theirs: RelationEnd,
  ): string | undefined {
    if (theirs.target !== type.spec.singularName) return `leads to ${theirs.target}`
    if (theirs.other !== null && theirs.other !== attribute.name) {
      return `belongs to ${theirs.target}.${theirs.other}`
    }
    if (target.edited && theirs.kind !== INVERSE[end.kind]) {
      return `is ${theirs.kind} and would have to be ${INVERSE[end.kind]}`
    }
    return undefined
  }
}

const PLAIN: Omit<RelationOptions, 'relation' | 'target'> = {
  type: 'relation',
  required: false,
  unique: false,
  private: false,
  searchable: true,
  localized: true,
  unversioned: false,
}

/** Links stay where they are unless the cardinality decides. */
function ownsLinks(
  attribute: DraftAttribute,
  end: RelationEnd,
  partner: DraftAttribute,
  theirs: RelationEnd,
): boolean {
  if (end.kind === 'manyToOne') return true
  if (end.kind === 'oneToMany') return false
  if (storedSide(attribute) !== undefined) return storedSide(attribute) === 'owning'
  if (storedSide(partner) !== undefined) return storedSide(partner) !== 'owning'
  return end.side === 'owning' || theirs.side === 'inverse'
}

function storedSide({ before }: DraftAttribute): 'owning' | 'inverse' | undefined {
  return before?.type === 'relation' ? before.side : undefined
}

function sideOf(kind: RelationKind, { mappedBy }: RelationOptions): 'owning' | 'inverse' {
  if (kind === 'manyToOne') return 'owning'
  if (kind === 'oneToMany') return 'inverse'
  return mappedBy === undefined ? 'owning' : 'inverse'
}

function endsOf(type: TypeDraft): Named[] {
  return type.attributes.flatMap((attribute) =>
    attribute.end ? [{ type, attribute, end: attribute.end }] : [],
  )
}
