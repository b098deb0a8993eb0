import { isObject } from '#kernel'
import type { Output } from '../definition/definition.ts'
import { type Json, valueAt } from '../extract/values.ts'

type Kind = 'string' | 'text' | 'integer' | 'float' | 'boolean' | 'datetime' | 'json'

const MAX_STRING = 255
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/

/** A type for items like these: each mapped member by the values seen (scrapers contract §6). */
export function designType({ collection, map, media }: Output, values: readonly Json[]) {
  const names = (map.size > 0 ? [...map.keys()] : namesIn(values)).filter(
    (name) => !media.has(name),
  )
  const files = [...media].map(([name, path]) => {
    const multiple = values.some((value) => Array.isArray(valueAt(value, path)))
    return [name, { type: 'media', multiple }] as const
  })
  const attributes = names.map((name) => {
    const source = map.get(name)
    const seen = values.flatMap((value) => {
      if (source && 'const' in source) return [toJson(source.const)]
      return valueAt(value, source?.from ?? name) ?? []
    })
    return [name, { type: kindOf(seen.filter((each) => each !== null)) }] as const
  })
  const isPlural = collection.endsWith('s')
  return {
    singularName: isPlural ? collection.slice(0, -1) : collection,
    pluralName: isPlural ? collection : `${collection}s`,
    draftAndPublish: true,
    attributes: Object.fromEntries([...attributes, ...files]),
  }
}

function namesIn(values: readonly Json[]): string[] {
  const names = values.flatMap((value) => (isObject(value) ? Object.keys(value) : []))
  return [...new Set(names)].filter((name) => /^[A-Za-z][A-Za-z0-9_]{0,59}$/.test(name))
}

function kindOf(values: readonly Json[]): Kind {
  if (values.length === 0) return 'text'
  if (values.every((value) => typeof value === 'boolean')) return 'boolean'
  if (values.every((value) => typeof value === 'number')) {
    return values.every((value) => Number.isSafeInteger(value)) ? 'integer' : 'float'
  }
  if (!values.every((value) => typeof value === 'string')) return 'json'
  const texts = values.map(String)
  if (texts.every((text) => TIME.test(text))) return 'datetime'
  return texts.every((text) => text.length <= MAX_STRING / 2) ? 'string' : 'text'
}

function toJson(value: unknown): Json {
  return value === undefined ? null : JSON.parse(JSON.stringify(value))
}
