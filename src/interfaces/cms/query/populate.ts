import type { ContentModel, ContentType } from '#content'
import { includeOf } from '#content-dialect'
import { type Filter, type Include, parseFilter, type SortKey, textOf } from '#content-query'
import { type At, badQuery, isRaw, isText, nameOf, withoutSlots } from './brackets.ts'
import {
  type Level,
  LOCALIZATIONS,
  MAX_RELATED,
  type PartSelection,
  stepInto,
  stepsFrom,
} from './level.ts'
import { parseLimit, parseStart } from './paging.ts'
import { parseFields, parseSort } from './showing.ts'

interface Rules {
  readonly model: ContentModel
  /** Steps through relations, media and components that a request may take. */
  readonly maxDepth: number
}

interface Populated {
  readonly include: readonly Include[]
  readonly parts: ReadonlyMap<string, PartSelection>
}

/** What is populated of one thing. */
interface Branch {
  readonly level: Level
  readonly below: Map<string, Wish>
}

/** One attribute to populate, as several parameters together ask for it. */
interface Wish extends Branch {
  readonly at: At
  /** By its name, not only through `*` or `deep`. */
  named: boolean
  fields: ReadonlySet<string> | null
  filter: Filter | null
  sort: readonly SortKey[]
  start: number
  limit: number
}

const DEEP = /^deep(,\s*\d+)?$/
const YES = ['true', '*', 't', '1']
const NO = ['false', 'f', '0', '']

/** All forms of contract §4.2; too deep is refused before anything is read. */
export function parsePopulate(
  raw: unknown,
  type: ContentType,
  { model, maxDepth }: Rules,
): Populated {
  const root: Branch = { level: type, below: new Map() }
  if (raw !== undefined) add(root, raw, ['populate'])
  const depth = depthOf(root)
  if (depth > maxDepth) {
    throw badQuery(['populate'], `populate goes ${depth} levels deep, the limit is ${maxDepth}`)
  }
  return { include: toIncludes(root), parts: toParts(root) }

  function add(branch: Branch, given: unknown, at: At): void {
    if (isText(given)) addText(branch, textOf(given), at)
    else if (Array.isArray(given)) addList(branch, given, at)
    else if (!isRaw(given)) throw badQuery(at, `${nameOf(at)} cannot be understood`)
    else for (const [name, value] of Object.entries(given)) addMember(branch, name, value, at)
  }

  function addText(branch: Branch, text: string, at: At): void {
    if (DEEP.test(text.trim())) {
      const wanted = Number(text.split(',')[1] ?? maxDepth)
      addDeep(branch, at, Math.min(wanted, maxDepth))
      return
    }
    for (const word of text.split(',').map((part) => part.trim())) {
      if (word === '*') addAll(branch, at)
      else if (word === 'deep') addDeep(branch, at, maxDepth)
      else if (word !== '') addPath(branch, word.split('.'), at)
    }
  }

  function addList(branch: Branch, list: readonly unknown[], at: At): void {
    for (const [index, item] of list.entries()) {
      const here = [...at, index]
      if (!isText(item)) throw badQuery(here, `${nameOf(here)} must be a name`)
      addText(branch, textOf(item), at)
    }
  }

  function addMember(branch: Branch, name: string, value: unknown, at: At): void {
    const here = [...at, name]
    // `populate[0]=*&populate[author][fields]=name` arrives as one object.
    if (/^\d+$/.test(name)) addList(branch, [value], at)
    else if (isText(value) && NO.includes(textOf(value))) return
    else if (name === '*') addAll(branch, here)
    else addNamed(branch, name, value, here)
  }

  function addNamed(branch: Branch, name: string, value: unknown, here: At): void {
    const wish = addPath(branch, name.split('.'), here)
    if (isText(value) && YES.includes(textOf(value))) return
    if (!isRaw(value)) throw badQuery(here, `${nameOf(here)} must be true or have options`)
    for (const [option, given] of Object.entries(value)) {
      Object.assign(wish, parseOption(wish, option, given, [...here, option]))
    }
  }

  function parseOption(wish: Wish, option: string, given: unknown, at: At): Partial<Wish> {
    switch (option) {
      case 'fields':
        return { fields: parseFields(withoutSlots(given), wish.level, at) }
      case 'filters':
        return { filter: parseFilter(given || undefined, at) }
      case 'sort':
        return { sort: parseSort(withoutSlots(given), at) }
      case 'start':
        return { start: parseStart(withoutSlots(given), nameOf(at)) }
      case 'limit':
        return { limit: parseLimit(withoutSlots(given), nameOf(at), MAX_RELATED) }
      case 'populate':
        add(wish, given, at)
        return {}
      case 'on':
        throw badQuery(at, `${nameOf(at)}: dynamic zones are not supported yet`)
      default:
        throw badQuery(at, `${nameOf(at)}: ${option} is not an option of populate`)
    }
  }

  /** `author.avatar`: each step on the way is populated; answers the last one. */
  function addPath(branch: Branch, [name = '', ...rest]: readonly string[], at: At): Wish {
    const wish = addStep(branch, name, at, true)
    return rest.length === 0 ? wish : addPath(wish, rest, at)
  }

  /** `*`: everything one level below. */
  function addAll(branch: Branch, at: At): void {
    for (const name of stepsFrom(branch.level)) addStep(branch, name, at, false)
  }

  /** `deep`: everything, but never a type again that the way has come through. */
  function addDeep(branch: Branch, at: At, left: number, way: readonly Level[] = []): void {
    if (left === 0) return
    const passed = [...way, branch.level]
    for (const name of stepsFrom(branch.level)) {
      const level = stepInto(model, branch.level, name, at)
      const isAgain = level !== 'files' && passed.includes(level)
      if (name === LOCALIZATIONS || isAgain) continue
      addDeep(addStep(branch, name, at, false), at, left - 1, passed)
    }
  }

  function addStep({ level, below }: Branch, name: string, at: At, named: boolean): Wish {
    const known = below.get(name)
    if (known) {
      known.named ||= named
      return known
    }
    const all = { fields: null, filter: null, sort: [], start: 0, limit: MAX_RELATED }
    const wish = { level: stepInto(model, level, name, at), at, named, ...all, below: new Map() }
    below.set(name, wish)
    return wish
  }
}

/** For questions that the dialect itself asks: this attribute as it is. */
export function plainInclude(field: string, start = 0): Include {
  return includeOf(field, { start, limit: MAX_RELATED, named: true })
}

function depthOf({ below }: Branch): number {
  return Math.max(0, ...[...below.values()].map((wish) => 1 + depthOf(wish)))
}

function toIncludes({ below }: Branch): Include[] {
  return [...below].map(([field, wish]) => {
    const { filter, sort, start, limit, named, at } = wish
    return includeOf(field, { filter, sort, start, limit, include: toIncludes(wish), named, at })
  })
}

function toParts({ below }: Branch): Map<string, PartSelection> {
  const parts = [...below].map(([name, wish]) => {
    const { fields, start, limit } = wish
    return [name, { fields, start, limit, parts: toParts(wish) }] as const
  })
  return new Map(parts)
}
