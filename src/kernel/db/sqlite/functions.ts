import type { DatabaseSync } from 'node:sqlite'
import { fold } from '../../fold.ts'
import { hasWord, spacedWords } from '../words.ts'

/** What SQL of ours calls and SQLite does not have; triggers of the text index do, so no writer may lack it. */
export function addFunctions(db: DatabaseSync): void {
  db.function('has_word', { deterministic: true }, (text, word) =>
    hasWord(String(text), String(word)) ? 1 : 0,
  )
  db.function('spaced_words', { deterministic: true }, (text) =>
    text === null ? '' : spacedWords(String(text)),
  )
  db.function('folded', { deterministic: true }, (text) => fold(String(text)))
}
