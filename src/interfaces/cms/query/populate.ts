import { includeOf } from '#content-dialect'
import type { ContentModel, ContentType } from '#content-model'
import { type Filter, type Include, parseFilter, type SortKey, textOf } from '#content-query'
import { type At, badQuery, isRaw, isText, nameOf, withoutSlots } from './brackets.ts'
import {
  findStep,
  isAuthor,
  isPart,
  isZone,
  type Level,
  LOCALIZATIONS,
  MAX_RELATED,
  type PartSelection,
  type Selection,
  stepInto,
  stepsFrom,
  usualLimit,
} from './level.ts'
import { parseLimit, parseStart } from './paging.ts'
import { parseFields, parseSort } from './showing.ts'

interface Rules {
  readonly model: ContentModel
  /** Steps through relations, media and components that a request may take. */
  readonly maxDepth: number
}

interface Populated {
  /** Accounts are shown somewhere in it. */
  readonly hasPeople: boolean
  readonly include: readonly Include[]
  readonly parts: ReadonlyMap<string, PartSelection>
}

/** What is populated of one thing. */
interface Branch {
  readonly level: Level
  readonly below: Map<string, Wish>
  /** Of a zone: what is populated of its components, by uid; `below` is empty then. */
  readonly on: ReadonlyMap<string, Inside> | null
}

/** One kind of component in a zone. */
interface Inside extends Branch {
  fields: ReadonlySet<string> | null
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
  isCounted: boolean
  /** Of a zone: the components that `on` names, by uid; null: all of them. */
  only: Set<string> | null
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
  const root: Branch = { level: type, below: new Map(), on: null }
  if (raw !== undefined) add(root, raw, ['populate'])
  const depth = depthOf(root)
  if (depth > maxDepth) {
    throw badQuery(['populate'], `populate goes ${depth} levels deep, the limit is ${maxDepth}`)
  }
  return { include: toIncludes(root), parts: toParts(root), hasPeople: hasPeople(root) }

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
    else if (isNo(value)) return
    else if (name === '*') {
      refuseOptions(value, here)
      addAll(branch, here)
    } else addNamed(branch, name, value, here)
  }

  function addNamed(branch: Branch, name: string, value: unknown, here: At): void {
    const wishes = addPath(branch, name.split('.'), here)
    const options = optionsOf(value, here)
    for (const [option, given] of options) {
      for (const wish of wishes) addOption(wish, option, given, [...here, option])
    }
    const beside = options.find(([option]) => !COUNTED_WITH.includes(option))
    if (beside && wishes.some(({ isCounted }) => isCounted)) {
      throw badQuery(here, `${nameOf(here)}: ${beside[0]} has no effect on a count`)
    }
  }

  function addOption(wish: Wish, option: string, given: unknown, at: At): void {
    if (option === 'count') wish.isCounted = parseFlag(given, at)
    else if (wish.level === 'people' && option !== 'fields') {
      throw badQuery(at, `${nameOf(at)}: accounts can be shown with fields alone`)
    } else if (wish.on) addZoneOption(wish, wish.on, option, given, at)
    else Object.assign(wish, parseOption(wish, option, given, at))
  }

  /** A zone is shown whole and in its order; what is said of it counts for each of its components. */
  function addZoneOption(
    zone: Wish,
    on: ReadonlyMap<string, Inside>,
    option: string,
    given: unknown,
    at: At,
  ): void {
    if (option === 'on') addFragments(zone, on, given, at)
    else if (option === 'populate') add(zone, given, at)
    else if (option === 'fields') {
      const fields = parseFields(withoutSlots(given), zone.level, at)
      for (const inside of on.values()) inside.fields = fields
    } else throw badQuery(at, `${nameOf(at)}: ${option} is not an option of a dynamic zone`)
  }

  /** `[on][default.quote][populate]=image`: each kind of component by itself, and no other kind. */
  function addFragments(zone: Wish, on: ReadonlyMap<string, Inside>, given: unknown, at: At): void {
    if (!isRaw(given)) throw badQuery(at, `${nameOf(at)} must name components`)
    zone.only ??= new Set()
    for (const [uid, value] of Object.entries(given)) {
      const here = [...at, uid]
      const inside = on.get(uid)
      if (!inside) throw badQuery(here, `${nameOf(here)}: the zone has no component ${uid}`)
      if (isNo(value)) continue
      zone.only.add(uid)
      for (const [option, options] of optionsOf(value, here)) {
        addFragment(inside, option, options, [...here, option])
      }
    }
  }

  function addFragment(inside: Inside, option: string, given: unknown, at: At): void {
    if (option === 'populate') add(inside, given, at)
    else if (option === 'fields') {
      inside.fields = parseFields(withoutSlots(given), inside.level, at)
    } else throw badQuery(at, `${nameOf(at)}: ${option} is not an option inside of a dynamic zone`)
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
        throw badQuery(at, `${nameOf(at)}: on is an option of dynamic zones`)
      default:
        throw badQuery(at, `${nameOf(at)}: ${option} is not an option of populate`)
    }
  }

  /** `author.avatar`: each step on the way is populated; answers the last one, of zones one for each component. */
  function addPath(
    branch: Branch,
    [name = '', ...rest]: readonly string[],
    at: At,
  ): readonly Wish[] {
    const wishes = branchesWith(branch, name, at).map((each) => addStep(each, name, at, true))
    return rest.length === 0 ? wishes : wishes.flatMap((wish) => addPath(wish, rest, at))
  }

  /** In a zone the components that have it, at least one. */
  function branchesWith(branch: Branch, name: string, at: At): readonly Branch[] {
    if (!branch.on) return [branch]
    const having = [...branch.on.values()].filter(({ level }) => findStep(model, level, name))
    if (having.length > 0) return having
    throw badQuery(at, `${nameOf(at)}: there is nothing to populate with the name ${name}`)
  }

  /** `*`: everything one level below. */
  function addAll(branch: Branch, at: At): void {
    for (const inside of branch.on?.values() ?? []) addAll(inside, at)
    for (const name of stepsFrom(branch.level)) addStep(branch, name, at, false)
  }

  /** `deep`: everything, but never a type again that the way has come through. */
  function addDeep(branch: Branch, at: At, left: number, way: readonly Level[] = []): void {
    if (left === 0) return
    const passed = [...way, branch.level]
    for (const inside of branch.on?.values() ?? []) addDeep(inside, at, left, passed)
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
    const next = stepInto(model, level, name, at)
    const limit = usualLimit(next)
    const all = { fields: null, filter: null, sort: [], start: 0, limit }
    const own = { isCounted: false, only: null, below: new Map(), on: insideOf(next) }
    const wish: Wish = { level: next, at, named, ...all, ...own }
    below.set(name, wish)
    return wish
  }
}

/** For questions that the dialect itself asks: this attribute as it is. */
export function plainInclude(field: string, start = 0): Include {
  return includeOf(field, { start, limit: MAX_RELATED, named: true })
}

/** What a count may be asked for with. */
const COUNTED_WITH = ['count', 'filters']

function parseFlag(given: unknown, at: At): boolean {
  const text = textOf(isText(given) ? given : '')
  if (text !== '*' && text !== '' && YES.includes(text)) return true
  if (text !== '' && NO.includes(text)) return false
  throw badQuery(at, `${nameOf(at)} must be true or false`)
}

function hasPeople({ below, on, level }: Branch): boolean {
  if (level === 'people') return true
  return [...below.values(), ...(on?.values() ?? [])].some(hasPeople)
}

function insideOf(level: Level): ReadonlyMap<string, Inside> | null {
  if (!isZone(level)) return null
  const all = level.zone.map(
    (each) => [each.uid, { level: each, below: new Map(), on: null, fields: null }] as const,
  )
  return new Map(all)
}

export function isNo(value: unknown): boolean {
  return isText(value) && NO.includes(textOf(value))
}

/** `true` and `*` have none. */
function optionsOf(value: unknown, at: At): readonly (readonly [string, unknown])[] {
  if (isText(value) && YES.includes(textOf(value))) return []
  if (!isRaw(value)) throw badQuery(at, `${nameOf(at)} must be true or have options`)
  return Object.entries(value)
}

/** What means several at once has no options, which none of them would get. */
export function refuseOptions(value: unknown, at: At): void {
  if (isText(value) && YES.includes(textOf(value))) return
  throw badQuery(at, `${nameOf(at)} must be true: options are given by the name of each`)
}

/** A zone is one level with whichever component lies in it. */
function depthOf({ below, on }: Branch): number {
  const inside = [...(on?.values() ?? [])].map(depthOf)
  return Math.max(0, ...inside, ...[...below.values()].map((wish) => 1 + depthOf(wish)))
}

function toIncludes({ below }: Branch): Include[] {
  const stored = [...below].filter(([, { level }]) => level !== 'people')
  return stored.map(([field, wish]) => {
    const { filter, sort, start, limit, named, at } = wish
    if (wish.isCounted) {
      // The first of a list carries its length; components are counted themselves.
      const list = isPart(wish.level) ? {} : ({ depth: 'ids', limit: 0 } as const)
      return includeOf(field, { filter, named, at, ...list })
    }
    if (wish.on) {
      const { only } = wish
      const shown = [...wish.on].filter(([uid]) => !only || only.has(uid))
      const on = shown.map(([uid, inside]) => [uid, toIncludes(inside)] as const)
      return includeOf(field, { on: new Map(on), ...(only && { onlyThese: true }), named, at })
    }
    return includeOf(field, { filter, sort, start, limit, include: toIncludes(wish), named, at })
  })
}

function toParts({ below }: Branch): Map<string, PartSelection> {
  const parts = [...below].map(([name, wish]) => {
    const { fields, start, limit } = wish
    const on = wish.on && new Map([...wish.on].map(([uid, each]) => [uid, toSelection(each)]))
    const author = wish.level === 'people' && isAuthor(name) ? { author: name } : {}
    const counted = wish.isCounted ? { isCounted: true } : {}
    const own = { ...author, ...counted, ...(on && { on }) }
    return [name, { fields, start, limit, parts: toParts(wish), ...own }] as const
  })
  return new Map(parts)
}

function toSelection(inside: Inside): Selection {
  return { fields: inside.fields, parts: toParts(inside) }
}
