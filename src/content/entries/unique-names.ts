import type { DomainError } from '#kernel'
import { scalarsOf } from '../document.ts'
import { isUnique, kindOf } from '../fields/index.ts'
import type { JsonValue } from '../json.ts'
import {
  type ContentModel,
  type ContentType,
  type FieldSet,
  isPerLocale,
  type ScalarAttribute,
} from '../model.ts'
import type { Body, Part } from './body.ts'
import { type Tried, taken, trying } from './refusals.ts'
import { isMadeFrom, slugOf } from './slug.ts'
import {
  ASSUMED_FREE,
  findTaken,
  highestSuffix,
  type NamesAsked,
  type NamesTaken,
  type Whose,
} from './store/names.ts'
import { holdName } from './store/statements.ts'
import type { Writing } from './writing.ts'

interface Naming {
  readonly body: Body
  readonly old: Body | undefined
  readonly id: number
  readonly whose: Whose
  /** The path the entry would have with this slug. */
  readonly pathWith: (slug: string) => string
  /** Whether a value it has already must be looked at. */
  readonly isChecked: (attribute: ScalarAttribute) => boolean
  /** Why it cannot be kept even if its values are free: no name is made for it. */
  readonly refusal?: DomainError | undefined
}

interface Named {
  readonly body: Body
  /** Paths asked for that are taken or were somebody's. */
  readonly taken: NamesTaken
}

/** How many suffixes are looked at first; most names are free at once. */
const FIRST = 5

export function codesOf({ locales }: ContentModel): string[] {
  return ['', ...locales.map(({ code }) => code)]
}

/** The slug of an entry is the value of its first uid, else its id (content model §6). */
export function slugIn(type: ContentType, body: Body, id: number): string {
  const attribute = type.slugField === null ? undefined : type.attribute.get(type.slugField)
  const value = attribute && body.values.get(attribute.no)
  return typeof value === 'string' && value !== '' ? value : String(id)
}

/** What an entry asks to be called. */
interface Wish {
  readonly naming: Naming
  readonly kept: Body
  readonly made: readonly Candidates[]
  readonly given: ReturnType<typeof uniqueValues>
  paths(): readonly string[]
}

/**
 * Gives every uid that has no value and knows what to make it from a free one, and refuses values
 * that others have: with one look at the store for all of them, unless many entries have the same title.
 * Several entries at once must be new ones.
 */
export async function withNames(
  writing: Writing,
  namings: readonly Naming[],
): Promise<readonly Tried<Named>[]> {
  const wishes = namings.map((naming) => wishOf(writing, naming))
  await holdShared(
    writing,
    wishes.flatMap(({ given }) => given),
  )
  const found = new Map<string, NamesTaken>()
  for (const [locale, group] of Map.groupBy(wishes, ({ naming }) => naming.whose.locale)) {
    found.set(locale, await findAll(writing, group))
  }
  const named: Tried<Named>[] = []
  for (const wish of wishes) {
    const taken = found.get(wish.naming.whose.locale)
    named.push(await trying(() => nameOne(writing, wish, taken, wishes.length === 1)))
  }
  return named
}

function wishOf({ type }: Writing, naming: Naming): Wish {
  const kept = withFormerUids(type, naming)
  const lacking = uidsOf(type).filter(({ no }) => !kept.values.has(no))
  const made = lacking.flatMap((attribute) => candidatesOf(type, attribute, kept))
  const given = uniqueValues(type, kept).filter(({ attribute }) => naming.isChecked(attribute))
  return { naming, kept, made, given, paths: () => pathsFor(type, kept, made, naming) }
}

/** What is taken of all that these ask for, in one language. */
async function findAll(writing: Writing, wishes: readonly Wish[]): Promise<NamesTaken> {
  const [first] = wishes
  const isAsked =
    !writing.isHopeful ||
    wishes.some(({ made, naming }) =>
      made.some((each) => isKnownTaken(writing, each, naming.whose)),
    )
  if (!isAsked || !first) return ASSUMED_FREE
  const paths = wishes.flatMap((wish) => wish.paths())
  const wanted: NamesAsked['values'][number][] = wishes.flatMap(({ given, made }) => [
    // What is given is left to the guard: of a list that is sent again its own entries have it, which only a second try looks for.
    ...(writing.isHopeful ? [] : given),
    ...made.map(({ attribute, list }) => ({ attribute, wanted: list })),
  ])
  const values = [...Map.groupBy(wanted, ({ attribute }) => attribute)].map(
    ([attribute, list]) => ({
      attribute,
      wanted: list.flatMap((each) => each.wanted),
    }),
  )
  const { whose } = first.naming
  return findTaken(writing, writing.type, { values, paths }, whoseOf(whose, wishes.length))
}

/** Several are new, so that no document is one's own. */
export function whoseOf(whose: Whose, count: number): Whose {
  return count === 1 ? whose : { ...whose, documentId: '', entryNo: null }
}

async function nameOne(
  writing: Writing,
  { naming, kept, made, given }: Wish,
  found: NamesTaken = ASSUMED_FREE,
  isAlone: boolean,
): Promise<Named> {
  const { type } = writing
  const { body, whose } = naming
  const clashes = given.filter(({ attribute: { no }, wanted: [value] }) => {
    const texts = found.values.get(no)
    return texts && (isAlone || texts.has(String(value)))
  })
  if (clashes.length > 0) {
    throw taken(
      clashes.map(({ attribute }) => attribute.name),
      'is already used',
    )
  }
  if (naming.refusal) throw naming.refusal
  if (made.length === 0)
    return { body: withPartUids({ ...body, values: kept.values }), taken: found }
  const values = new Map(kept.values)
  for (const { attribute, base, list } of made) {
    const free = list.find(
      (each) =>
        isFree(type, attribute, each, found, naming) && claim(writing, attribute, each, whose),
    )
    // Whoever comes next with this title asks at once: a plan that fails costs those beside it, too.
    writing.names.noteTaken(keyOf(attribute, base, whose), 1)
    values.set(attribute.no, free ?? (await behindAll(writing, attribute, base, naming)))
  }
  return { body: withPartUids({ ...body, values }), taken: found }
}

/** Every value that nobody else may have, as its column holds it. */
export function uniqueValues(type: ContentType, { values }: Body) {
  return scalarsOf(type).flatMap((attribute) => {
    const value = values.get(attribute.no)
    if (value === undefined || !isUnique(attribute)) return []
    return [{ attribute, wanted: [kindOf(attribute).toColumn(value, attribute)] }]
  })
}

/** No index sees one value of two documents in different languages. */
export async function holdShared(
  writing: Writing,
  values: ReturnType<typeof uniqueValues>,
): Promise<void> {
  if (!writing.type.localized) return
  const shared = values.filter(({ attribute }) => !isPerLocale(attribute))
  const names = shared.map(({ attribute, wanted }) => `value ${attribute.no} ${wanted[0]}`)
  for (const name of new Set(names.toSorted())) await holdName(writing, name)
}

function uidsOf(set: FieldSet): readonly ScalarAttribute[] {
  return scalarsOf(set).filter(({ type }) => type === 'uid')
}

/** A uid that was made from the same title before stays as it is. */
function withFormerUids(type: ContentType, { body, old }: Naming): Body {
  if (!old) return body
  const values = new Map(body.values)
  for (const attribute of uidsOf(type)) {
    const former = old.values.get(attribute.no)
    const base = baseOf(type, attribute, body.values, type.singularName)
    if (values.has(attribute.no) || typeof former !== 'string' || base === undefined) continue
    if (isMadeFrom(base, former)) values.set(attribute.no, former)
  }
  return { ...body, values }
}

interface Candidates {
  readonly attribute: ScalarAttribute
  readonly base: string
  readonly list: readonly string[]
}

function candidatesOf(type: ContentType, attribute: ScalarAttribute, body: Body): Candidates[] {
  const base = baseOf(type, attribute, body.values, type.singularName)
  return base === undefined ? [] : [{ attribute, base, list: suffixed(base, 1, FIRST) }]
}

/** Undefined when the attribute names nothing to make it from. */
function baseOf(
  set: FieldSet,
  attribute: ScalarAttribute,
  values: ReadonlyMap<number, JsonValue>,
  otherwise: string,
): string | undefined {
  const name = 'targetField' in attribute ? attribute.targetField : undefined
  const target = name === undefined ? undefined : set.attribute.get(name)
  if (!target) return undefined
  const value = values.get(target.no)
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return slugOf(text) || slugOf(otherwise)
}

/** `base`, `base-2`, `base-3`, … */
function suffixed(base: string, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    from + index === 1 ? base : `${base}-${from + index}`,
  )
}

function pathsFor(
  type: ContentType,
  body: Body,
  made: readonly Candidates[],
  { id, pathWith }: Naming,
): string[] {
  const own = made.find(({ attribute }) => attribute.name === type.slugField)
  const slugs = own ? own.list : [slugIn(type, body, id)]
  return [...new Set(slugs.map(pathWith))]
}

function isFree(
  type: ContentType,
  attribute: ScalarAttribute,
  value: string,
  found: NamesTaken,
  { pathWith }: Naming,
): boolean {
  if (found.values.get(attribute.no)?.has(value)) return false
  return attribute.name !== type.slugField || !found.paths.has(pathWith(value))
}

/** Many entries have the same title: one question for the highest number that is taken. */
async function behindAll(
  writing: Writing,
  attribute: ScalarAttribute,
  base: string,
  { whose, pathWith }: Naming,
): Promise<string> {
  const { type, names } = writing
  const path = attribute.name === type.slugField ? pathWith(base) : undefined
  const key = keyOf(attribute, base, whose)
  const known = names.findTaken(key) ?? 0
  const isKnown = names.asked.has(key) && known > FIRST
  const highest = isKnown ? known : await highestSuffix(writing, type, attribute, base, path, whose)
  names.asked.add(key)
  let suffix = Math.max(highest, FIRST) + 1
  while (!claim(writing, attribute, `${base}-${suffix}`, whose)) suffix++
  names.noteTaken(key, suffix)
  return `${base}-${suffix}`
}

function isKnownTaken({ names }: Writing, { attribute, base }: Candidates, whose: Whose): boolean {
  return names.findTaken(keyOf(attribute, base, whose)) !== undefined
}

/** False when another write of this process that is under way has just made the same name. */
function claim(
  { names }: Writing,
  attribute: ScalarAttribute,
  name: string,
  whose: Whose,
): boolean {
  return names.claim(keyOf(attribute, name, whose))
}

function keyOf(attribute: ScalarAttribute, name: string, { locale }: Whose): string {
  return `${attribute.no} ${isPerLocale(attribute) ? locale : ''} ${name}`
}

/** Inside components uids are made too, but belong to no URL and need not be unique. */
export function withPartUids(body: Body): Body {
  if (body.parts.size === 0) return body
  const parts = new Map([...body.parts].map(([no, list]) => [no, list.map(withOwnUids)]))
  return { ...body, parts }
}

function withOwnUids(part: Part): Part {
  const values = new Map(part.body.values)
  for (const attribute of uidsOf(part.component)) {
    const base = baseOf(part.component, attribute, values, part.component.name)
    if (!values.has(attribute.no) && base !== undefined) values.set(attribute.no, base)
  }
  return { ...part, body: withPartUids({ ...part.body, values }) }
}
