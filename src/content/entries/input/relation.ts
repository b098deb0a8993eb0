import { isObject } from '#kernel'
import type { Connected, Path, Place, Problems, Ref, RelationChange } from './parsed.ts'
import { parseElement, parseRef } from './refs.ts'

const NO_ID = 'must be an id, a documentId or an object with one'
const FORMS = 'must be an id, a list of ids, null, or an object with set, connect or disconnect'

/** All the forms of content model §4 in which an input may change a relation. */
export function parseRelation(
  value: unknown,
  path: Path,
  problems: Problems,
): RelationChange | undefined {
  if (value === null) return { kind: 'set', refs: [] }
  if (Array.isArray(value)) return { kind: 'set', refs: parseRefs(value, path, problems) }
  if (isObject(value) && !isElement(value)) return parseOperations(value, path, problems)
  const ref = parseElement(value)
  if (ref !== undefined) return { kind: 'set', refs: [ref] }
  problems.add(path, 'relation', FORMS)
  return undefined
}

function isElement(value: Record<string, unknown>): boolean {
  return 'id' in value || 'documentId' in value
}

function parseOperations(
  value: Record<string, unknown>,
  path: Path,
  problems: Problems,
): RelationChange | undefined {
  const { set, connect, disconnect, options, ...others } = value
  const [unknown] = Object.keys(others)
  if (unknown !== undefined || (set ?? connect ?? disconnect) === undefined) {
    problems.add(path, 'relation', FORMS)
    return undefined
  }
  if (set !== undefined) {
    if (connect === undefined && disconnect === undefined) {
      return { kind: 'set', refs: parseRefs(listOf(set), [...path, 'set'], problems) }
    }
    problems.add(path, 'relation', 'cannot have set together with connect or disconnect')
    return undefined
  }
  return {
    kind: 'change',
    connect: parseConnect(listOf(connect), [...path, 'connect'], problems),
    disconnect: parseRefs(listOf(disconnect), [...path, 'disconnect'], problems),
    strict: !isObject(options) || options.strict !== false,
  }
}

/** A lone element counts as a list of one, null as none. */
function listOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

export function parseRefs(list: readonly unknown[], path: Path, problems: Problems): Ref[] {
  return list.flatMap((item, index) => {
    const ref = parseElement(item)
    if (ref !== undefined) return [ref]
    problems.add([...path, index], 'relation', NO_ID)
    return []
  })
}

function parseConnect(list: readonly unknown[], path: Path, problems: Problems): Connected[] {
  return list.flatMap((item, index) => {
    const ref = parseElement(item)
    if (ref === undefined) problems.add([...path, index], 'relation', NO_ID)
    const place = parsePlace(item, [...path, index, 'position'], problems)
    return ref === undefined || place === undefined ? [] : [{ ref, place }]
  })
}

/** Null when none is given, undefined when it is malformed. */
function parsePlace(item: unknown, path: Path, problems: Problems): Place | null | undefined {
  const position = isObject(item) ? item.position : undefined
  if (position === undefined || position === null) return null
  const place = isObject(position) ? toPlace(position) : undefined
  if (place === undefined) {
    problems.add(path, 'position', 'must have exactly one of before, after, start and end')
  }
  return place
}

function toPlace(position: Record<string, unknown>): Place | undefined {
  const [name, ...more] = Object.keys(position)
  const value = name === undefined ? undefined : position[name]
  if (more.length > 0) return undefined
  if ((name === 'start' || name === 'end') && value === true) return { at: name }
  if (name !== 'before' && name !== 'after') return undefined
  const ref = parseRef(value)
  return ref === undefined ? undefined : { at: name, ref }
}
