import type { Entry, MediaFile, Part } from '#content'
import { includeOf } from '#content-dialect'
import type { ContentType } from '#content-model'
import type { Include } from '#content-query'
import { DomainError } from '#kernel'
import { renderFieldError } from '../errors.ts'
import type { Arguments } from '../query/arguments.ts'
import { toFilter } from '../query/filter.ts'
import { type Compiling, type Includes, stateIn } from '../query/level.ts'
import { pagingOf } from '../query/paging.ts'
import type { Picked } from '../query/picked.ts'
import { parseSort, sortText } from '../query/sort.ts'
import type { Meaning } from '../schema/meaning.ts'
import { globalId } from '../target.ts'
import { compileFile } from './files.ts'
import { memberOf, pageOf, pieceOf, renderValueOf, toItem } from './members.ts'
import { compilePage } from './pages.ts'
import {
  missing,
  type Write,
  type WrittenMember,
  within,
  writeList,
  writeObject,
} from './writing.ts'

type Step = Extract<Meaning, { of: 'step' }>
type Holder = Pick<Entry & Part, 'values' | 'included'> & { readonly id: number }

/**
 * The writer of what is picked of an entry. What has to be loaded for it is added to `include`, each
 * under the name that the answer gives it, so that one relation can be shown in several ways.
 */
function compileEntry(
  to: Compiling,
  type: ContentType,
  picked: readonly Picked[],
  include: Includes,
): Write<Entry> {
  return writeObject(
    picked.map((each): WrittenMember<Entry> => {
      const { key, isSure, meaning, of } = each
      if (meaning?.of === 'member') return { key, isSure, write: memberOf(type, meaning.name) }
      if (meaning?.of === 'self') {
        return { key, isSure, write: within(key, compileEntry(to, type, of(), include)) }
      }
      return compileOwn(to, each, include)
    }),
  )
}

function compilePart(to: Compiling, picked: readonly Picked[], include: Includes): Write<Part> {
  return writeObject(
    picked.map((each): WrittenMember<Part> => {
      const { key, isSure, meaning } = each
      if (meaning?.of !== 'member') return compileOwn(to, each, include)
      return { key, isSure, write: ({ id }) => `"${id}"` }
    }),
  )
}

/** What entries and components have alike. */
function compileOwn(to: Compiling, picked: Picked, include: Includes): WrittenMember<Holder> {
  const { key, name, parent, meaning, isSure } = picked
  switch (meaning?.of) {
    case 'value':
      return { key, isSure, write: attributeValue(picked, meaning) }
    case 'reference':
      return { key, isSure, write: referenceOf(to, picked, meaning, include) }
    case 'step':
      return { key, isSure, write: within(key, stepOf(to, picked, meaning, include)) }
    case 'zone':
      return { key, isSure, write: within(key, zoneOf(to, picked, meaning, include)) }
    default:
      if (name === '__typename') return { key, isSure, write: () => JSON.stringify(parent) }
      throw new Error(`an entry has no ${parent}.${name}`)
  }
}

function attributeValue(
  { key, parent, isSure }: Picked,
  { attribute }: Extract<Meaning, { of: 'value' }>,
): Write<Holder> {
  const { name } = attribute
  const render = renderValueOf(attribute)
  return (holder, to) => {
    const text = render(holder.values()[name])
    return text === null && isSure ? missing(`${parent}.${name}`, key, to) : text
  }
}

function referenceOf(
  { form }: Compiling,
  { key }: Picked,
  { attribute, to: type }: Extract<Meaning, { of: 'reference' }>,
  include: Includes,
): Write<Holder> {
  const as = freeName(include, key)
  include.push(includeOf(attribute, { as, limit: 1, depth: 'ids' }))
  return ({ included }) => {
    const found = included.get(as)
    const [first] = found?.kind === 'ids' ? found.ids : []
    if (!first) return null
    return form === 'connection' ? `"${globalId(type, first.id)}"` : `"${first.id}"`
  }
}

/** A relation, media or component; what the caller may not read looks as if there were none. */
function stepOf(to: Compiling, picked: Picked, step: Step, include: Includes): Write<Holder> {
  const given = to.argumentsOf(picked)
  try {
    return step.many ? manyOf(to, picked, step, given, include) : oneOf(to, picked, step, include)
  } catch (error) {
    // Contract §2.1: a forbidden field is null with an error, and others are answered.
    const isForbidden =
      error instanceof DomainError && ['forbidden', 'unauthenticated'].includes(error.kind)
    if (!isForbidden) throw error
    return (_, writing) => {
      writing.errors.push(renderFieldError(error, { path: [...writing.path] }))
      return null
    }
  }
}

function oneOf(
  to: Compiling,
  { key, of }: Picked,
  { attribute, to: thing }: Step,
  include: Includes,
): Write<Holder> {
  const below: Includes = []
  const as = freeName(include, key)
  const loaded = (): Include => includeOf(attribute, { as, limit: 1, include: below })
  if (thing !== 'files' && !('singularName' in thing)) {
    const write = compilePart(to, of(), below)
    include.push(loaded())
    return ({ included }, writing) => {
      const found = included.get(as)
      return found?.kind === 'part' && found.part ? write(found.part, writing) : null
    }
  }
  const write = compileResponse<Entry | MediaFile>(to, of(), itemWriter(to, thing, below))
  include.push(loaded())
  return ({ included }, writing) => write(toItem(included.get(as)), writing)
}

/** In the CMS shape one entry stands in `data`, which is null when there is none. */
export function compileResponse<Item>(
  { form }: Pick<Compiling, 'form'>,
  picked: readonly Picked[],
  writeItem: (picked: readonly Picked[]) => Write<Item>,
): Write<Item | null> {
  if (form !== 'cms') {
    const write = writeItem(picked)
    return (item, to) => (item === null ? null : write(item, to))
  }
  return writeObject(
    picked.map(({ key, name, parent, isSure, of }) => {
      if (name === '__typename') return { key, isSure, write: () => JSON.stringify(parent) }
      const write = writeItem(of())
      return {
        ...{ key, isSure },
        write: within<Item | null>(key, (item, to) => (item === null ? null : write(item, to))),
      }
    }),
  )
}

/** Writers of entries and files are told apart by what they are given. */
export function itemWriter(to: Compiling, thing: ContentType | 'files', include: Includes) {
  return (picked: readonly Picked[]): Write<Entry | MediaFile> => {
    if (thing === 'files') {
      const write = compileFile(picked)
      return (item, writing) => ('uuid' in item ? write(item, writing) : null)
    }
    const write = compileEntry(to, thing, picked, include)
    return (item, writing) => ('uuid' in item ? null : write(item, writing))
  }
}

function manyOf(
  to: Compiling,
  { key, of }: Picked,
  { attribute, to: thing }: Step,
  given: Arguments,
  include: Includes,
): Write<Holder> {
  const below: Includes = []
  const as = freeName(include, key)
  if (thing !== 'files' && !('singularName' in thing)) {
    const write = compilePart(to, of(), below)
    include.push(includeOf(attribute, { as, include: below }))
    return ({ included }, writing) => {
      const found = included.get(as)
      const parts = found?.kind === 'parts' ? found.parts : []
      return writeList(parts, (part, inner) => write(part, inner) ?? 'null', writing)
    }
  }
  const sort = parseSort(given['sort'])
  const tag = `${thing === 'files' ? 'files' : thing.no}/${attribute} ${sortText(sort)}`
  const paging = pagingOf(to.form, given, tag)
  const write = compilePage(of(), itemWriter(to, thing, below), tag)
  include.push(
    includeOf(attribute, {
      ...{ as, include: below, sort },
      filter: toFilter(to, thing, given['filters'] ?? given['filter'], filterName(to)),
      ...pieceOf(paging, of()),
      ...stateIn(to, thing, given),
    }),
  )
  const toPage = pageOf(paging)
  return ({ included }, writing) => write(toPage(included.get(as), writing.values), writing)
}

/** Each kind of component has a writer of its own. */
function zoneOf(
  to: Compiling,
  { key, of }: Picked,
  { attribute, kinds }: Extract<Meaning, { of: 'zone' }>,
  include: Includes,
): Write<Holder> {
  const as = freeName(include, key)
  const on = new Map<string, Includes>()
  const writers = new Map<string, Write<Part>>()
  for (const [name, { uid }] of kinds) {
    const below: Includes = []
    writers.set(uid, compilePart(to, of(name), below))
    on.set(uid, below)
  }
  include.push(includeOf(attribute, { as, on }))
  return ({ included }, writing) => {
    const found = included.get(as)
    const parts = found?.kind === 'zone' ? found.parts : []
    const write: Write<Part> = (part, inner) =>
      writers.get(part.component.uid)?.(part, inner) ?? null
    return writeList(parts, (part, inner) => write(part, inner) ?? 'null', writing)
  }
}

/** `data` or `attributes` can be picked twice, each with its own choice of one relation. */
function freeName(include: Includes, key: string): string {
  let name = key
  while (include.some(({ as }) => as === name)) name += "'"
  return name
}

function filterName({ form }: Compiling): string {
  return form === 'cms' ? 'filters' : 'filter'
}
