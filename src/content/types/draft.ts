import type { Issue } from '#kernel'
import type { Attribute, RelationKind, ScalarAttribute } from '../model.ts'
import { isScalar } from '../model.ts'
import type {
  AttributeOptions,
  AttributeSpec,
  ComponentSpec,
  StoredComponent,
  StoredType,
  TypeSpec,
} from './definition.ts'
import { issue } from './parse-attribute.ts'

/** An attribute of a design: numbers below zero stand for ones that are still to be given. */
export interface DraftAttribute {
  no: number
  readonly name: string
  readonly options: AttributeOptions
  /** What it was before, also when its values have to be converted into another column. */
  before: Attribute | null
  readonly at: Issue['path']
  /** Of relations: the other end, settled by pairing. */
  end: RelationEnd | null
}

/** How one end of a relation stands to the other. */
export interface RelationEnd {
  readonly kind: RelationKind
  /** Singular name of the target type. */
  readonly target: string
  /** The attribute at the other end. */
  readonly other: string | null
  /** Whose links they are; null until it is settled. */
  readonly side: 'owning' | 'inverse' | null
}

interface Draft<Spec, Before> {
  readonly before: Before | null
  /** Without the attributes, which are drafted below. */
  readonly spec: Omit<Spec, 'attributes'>
  attributes: DraftAttribute[]
  /** False: the caller did not name it; it changes only with the other end of a relation. */
  readonly edited: boolean
  readonly at: Issue['path']
}

export type TypeDraft = Draft<TypeSpec, StoredType>
export type ComponentDraft = Draft<ComponentSpec, StoredComponent>

/** Gives numbers below zero until real ones are taken. */
export function createNumbering() {
  let last = 0
  return () => --last
}

export type Numbering = ReturnType<typeof createNumbering>

/** Attributes as the caller wants them, each with the one it was before. */
export function draftAttributes(
  specs: readonly AttributeSpec[],
  before: readonly Attribute[],
  next: Numbering,
): { readonly attributes: DraftAttribute[]; readonly issues: readonly Issue[] } {
  const renamed = new Set(specs.flatMap(({ renamedFrom }) => renamedFrom ?? []))
  const issues: Issue[] = []
  const claimed = new Set<number>()
  const attributes = specs.map((spec) => {
    const prior = findPrior(spec, before, renamed)
    if (spec.renamedFrom !== null && !prior) {
      const sentence = `names no attribute that is there: ${spec.renamedFrom}`
      issues.push(issue([...spec.at, 'renamedFrom'], 'unknown_attribute', sentence))
    }
    if (prior && claimed.has(prior.no)) {
      issues.push(issue(spec.at, 'duplicate', `takes over ${prior.name}, which another one has`))
    }
    if (prior) claimed.add(prior.no)
    return draftOne(spec, prior ?? null, next)
  })
  return { attributes, issues }
}

/** A rename that was done already is found under its new name, so that a PUT can be repeated. */
function findPrior(
  { name, renamedFrom }: AttributeSpec,
  before: readonly Attribute[],
  renamed: ReadonlySet<string>,
): Attribute | undefined {
  const byName = (wanted: string) => before.find((attribute) => attribute.name === wanted)
  if (renamedFrom !== null) return byName(renamedFrom) ?? byName(name)
  return renamed.has(name) ? undefined : byName(name)
}

function draftOne(spec: AttributeSpec, prior: Attribute | null, next: Numbering): DraftAttribute {
  const { name, options, at } = spec
  const before = prior && isSameFamily(prior, options) ? prior : null
  const no = before && keepsStorage(before, options) ? before.no : next()
  return { no, name, options, before, at, end: null }
}

/** Values of one can become values of the other. */
function isSameFamily(before: Attribute, options: AttributeOptions): boolean {
  if (isScalar(before)) return isScalarOptions(options)
  if (before.type !== options.type) return false
  if (before.type === 'component' && options.type === 'component') {
    return before.component === options.component
  }
  return true
}

/** The same columns or rows hold the same meaning. */
function keepsStorage(before: Attribute, options: AttributeOptions): boolean {
  if (before.type !== options.type) return false
  if (before.type === 'decimal' && options.type === 'decimal') {
    return (before.scale ?? 2) === (options.scale ?? 2)
  }
  if (before.type === 'enumeration' && options.type === 'enumeration') {
    // Values that are taken away may be stored: they are looked at as those of another kind are.
    return before.enum.every((value) => options.enum.includes(value))
  }
  if (before.type === 'richtext' && options.type === 'richtext') {
    return (before.format === 'blocks') === (options.format === 'blocks')
  }
  return true
}

function isScalarOptions(
  options: AttributeOptions,
): options is Extract<AttributeOptions, { type: ScalarAttribute['type'] }> {
  return !['media', 'relation', 'component', 'dynamiczone'].includes(options.type)
}

/** A stored attribute that nobody asked to change. */
export function keepAttribute(attribute: Attribute, at: Issue['path']): DraftAttribute {
  const { no, name } = attribute
  const kept = { no, name, options: attribute, before: attribute, at }
  if (attribute.type !== 'relation') return { ...kept, end: null }
  const { relation: kind, target, inverse: other, side } = attribute
  return { ...kept, end: { kind, target, other, side } }
}
