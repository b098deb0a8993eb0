import type { ContentModel } from '#content'
import { type Include, parseFilter, textOf } from '#content-query'
import { isRaw, isText, type Raw, withoutSlots } from './brackets.ts'
import { parseFields } from './fields.ts'
import type { Level } from './level.ts'
import { parseLimit, parseStart } from './paging.ts'
import { type At, badQuery, nameOf } from './refusals.ts'
import type { PartSelection } from './selection.ts'
import { parseSort } from './sort.ts'
import {
  depthOf,
  MAX_RELATED,
  type Wish,
  type Wishes,
  wishAll,
  wishDeep,
  wishPath,
} from './wishes.ts'

interface Rules {
  readonly model: ContentModel
  /** Steps through relations, media and components that a request may take. */
  readonly maxDepth: number
}

interface Populated {
  readonly include: readonly Include[]
  readonly parts: ReadonlyMap<string, PartSelection>
}

const DEEP = /^deep(,\s*\d+)?$/
const YES = ['true', '*', 't', '1']
const NO = ['false', 'f', '0', '']

/** All forms of contract §4.2; too deep is refused before anything is read. */
export function parsePopulate(raw: unknown, level: Level, rules: Rules): Populated {
  if (raw === undefined) return { include: [], parts: new Map() }
  const wishes: Wishes = new Map()
  addWishes(wishes, raw, level, ['populate'], rules)
  const depth = depthOf(wishes)
  if (depth > rules.maxDepth) {
    const message = `populate goes ${depth} levels deep, the limit is ${rules.maxDepth}`
    throw badQuery(['populate'], message)
  }
  return { include: toIncludes(wishes), parts: toParts(wishes) }
}

function addWishes(wishes: Wishes, raw: unknown, level: Level, at: At, rules: Rules): void {
  if (isText(raw)) addText(wishes, textOf(raw), level, at, rules)
  else if (Array.isArray(raw)) addList(wishes, raw, level, at, rules)
  else if (isRaw(raw)) addMembers(wishes, raw, level, at, rules)
  else throw badQuery(at, `${nameOf(at)} cannot be understood`)
}

function addText(wishes: Wishes, text: string, level: Level, at: At, rules: Rules): void {
  const position = { model: rules.model, level, at }
  if (DEEP.test(text.trim())) {
    wishDeep(
      wishes,
      position,
      Math.min(Number(text.split(',')[1] ?? rules.maxDepth), rules.maxDepth),
    )
    return
  }
  for (const word of text.split(',').map((part) => part.trim())) {
    if (word === '*') wishAll(wishes, position)
    else if (word === 'deep') wishDeep(wishes, position, rules.maxDepth)
    else if (word !== '') wishPath(wishes, position, word.split('.'))
  }
}

function addList(wishes: Wishes, list: readonly unknown[], level: Level, at: At, rules: Rules) {
  for (const [index, item] of list.entries()) {
    if (!isText(item)) {
      throw badQuery([...at, index], `${nameOf([...at, index])} must be a name`)
    }
    addText(wishes, textOf(item), level, at, rules)
  }
}

function addMembers(wishes: Wishes, raw: Raw, level: Level, at: At, rules: Rules): void {
  for (const [name, value] of Object.entries(raw)) {
    const here = [...at, name]
    // `populate[0]=*&populate[author][fields]=name` arrives as one object.
    if (/^\d+$/.test(name)) addList(wishes, [value], level, at, rules)
    else if (isText(value) && NO.includes(textOf(value))) continue
    else if (name === '*') wishAll(wishes, { model: rules.model, level, at: here })
    else addMember(wishes, name, value, level, here, rules)
  }
}

function addMember(
  wishes: Wishes,
  name: string,
  value: unknown,
  level: Level,
  at: At,
  rules: Rules,
): void {
  const wish = wishPath(wishes, { model: rules.model, level, at }, name.split('.'))
  if (isText(value) && YES.includes(textOf(value))) return
  if (!isRaw(value)) throw badQuery(at, `${nameOf(at)} must be true or have options`)
  for (const [option, given] of Object.entries(value)) {
    applyOption(wish, option, given, [...at, option], rules)
  }
}

function applyOption(wish: Wish, option: string, given: unknown, at: At, rules: Rules): void {
  switch (option) {
    case 'fields':
      wish.fields = parseFields(withoutSlots(given), wish.level, at)
      return
    case 'filters':
      wish.filter = parseFilter(given || undefined, at)
      return
    case 'sort':
      wish.sort = parseSort(withoutSlots(given), at)
      return
    case 'start':
      wish.start = parseStart(withoutSlots(given), nameOf(at))
      return
    case 'limit':
      wish.limit = parseLimit(withoutSlots(given), nameOf(at), MAX_RELATED)
      return
    case 'populate':
      addWishes(wish.below, given, wish.level, at, rules)
      return
    case 'on':
      throw badQuery(at, `${nameOf(at)}: dynamic zones are not supported yet`)
    default:
      throw badQuery(at, `${nameOf(at)}: ${option} is not an option of populate`)
  }
}

function toIncludes(wishes: Wishes): Include[] {
  return [...wishes].map(([field, { filter, sort, start, limit, named, at, below }]) => {
    const include = toIncludes(below)
    return { field, filter, sort, start, limit, include, depth: 'entries', named, at }
  })
}

function toParts(wishes: Wishes): Map<string, PartSelection> {
  const parts = [...wishes].map(([name, { fields, start, limit, below }]) => {
    return [name, { fields, start, limit, parts: toParts(below) }] as const
  })
  return new Map(parts)
}
