import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { fold } from '../../fold.ts'
import { BETWEEN_TEXTS } from '../text-index.ts'
import { hasWord, spacedWords } from '../words.ts'

/** What SQL of ours calls and SQLite does not have; triggers of the text index do, so no writer may lack it. */
export function addFunctions(db: DatabaseSync): void {
  db.function('has_word', { deterministic: true }, (text, word) =>
    hasWord(String(text), String(word)) ? 1 : 0,
  )
  db.function('spaced_words', { deterministic: true }, spaced)
  // All texts of a row by one call: each costs more than the work it does.
  db.function('spaced_texts', { deterministic: true, varargs: true }, (...texts) =>
    texts.map(spaced).join(BETWEEN_TEXTS),
  )
  db.function('json_member', { deterministic: true }, (whole, name) =>
    whole === null ? null : memberOf(String(whole), String(name)),
  )
  db.function('folded', { deterministic: true }, (text) => fold(String(text)))
}

function spaced(text: SQLOutputValue): string {
  return text === null ? '' : spacedWords(String(text))
}

/** As `->>` of PostgreSQL: what is no text is told by its JSON. */
function memberOf(whole: string, name: string): string | null {
  const members = new Map<string, unknown>(Object.entries(JSON.parse(whole)))
  const member = members.get(name) ?? null
  return member === null || typeof member === 'string' ? member : JSON.stringify(member)
}
