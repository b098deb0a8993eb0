import { fold } from '../fold.ts'
import type { FieldType, StoredValue } from './words.ts'

/** As long as a string attribute: what is longer no index of PostgreSQL takes. */
const LONGEST_TEXT = 255
const LONGEST_WORDS = 100_000
const NONE: StoredValue = { text: null, fold: null, number: null, words: null }

/** Undefined: not a value of such a field. */
export function toStored(type: FieldType, value: unknown): StoredValue | undefined {
  switch (type) {
    case 'Number':
      return numbered(typeof value === 'string' && value.trim() !== '' ? Number(value) : value)
    case 'Date':
      return numbered(toMoment(value), Math.floor)
    case 'StringAnalyzed':
      return texted(value, LONGEST_WORDS, (text) => ({ ...NONE, words: fold(text) }))
    default:
      return texted(value, LONGEST_TEXT, (text) => ({ ...NONE, text, fold: fold(text) }))
  }
}

function numbered(value: unknown, round = (number: number) => number): StoredValue | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  return { ...NONE, number: round(value) }
}

/** A date, its text or its epoch milliseconds. */
function toMoment(value: unknown): unknown {
  if (value instanceof Date) return value.getTime()
  if (typeof value !== 'string') return value
  // Without a zone it is UTC (content model: times).
  const isLocal = /T[\d:.]+$/.test(value)
  return Date.parse(isLocal ? `${value}Z` : value)
}

function texted(
  value: unknown,
  longest: number,
  store: (text: string) => StoredValue,
): StoredValue | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return undefined
  }
  const text = String(value).toWellFormed().replaceAll('\0', '\ufffd')
  return store(Array.from(text).slice(0, longest).join(''))
}
