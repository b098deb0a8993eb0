import { wordsOf } from '#db'
import { fold } from '../fold.ts'

/** One thing that must be found: a word, the beginning of one, or words that follow each other. */
export interface Term {
  /** Folded. */
  readonly words: readonly string[]
  /** The last word may go on. */
  readonly isOpen: boolean
}

/** Scripts that put no spaces between words: what is written in them is found anywhere. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const QUOTED = /"([^"]*)("|$)/g
/** With the space before it, it is as long as what the index finds. */
const SHORTEST_OPEN = 2

/** Words, and phrases in quotation marks; the last word is found by its beginning too. */
export function parseTerms(text: string): readonly Term[] {
  const terms: Term[] = []
  let at = 0
  for (const match of text.matchAll(QUOTED)) {
    addWords(text.slice(at, match.index))
    const words = wordsOf(fold(match[1] ?? ''))
    if (words.length > 0) terms.push({ words, isOpen: false })
    at = match.index + match[0].length
  }
  const rest = text.slice(at)
  addWords(rest)
  const last = terms.at(-1)
  if (!last || wordsOf(rest).length === 0) return terms
  return [...terms.slice(0, -1), { ...last, isOpen: isLongEnough(last) }]

  function addWords(plain: string) {
    for (const word of wordsOf(fold(plain))) terms.push({ words: [word], isOpen: false })
  }
}

function isLongEnough({ words }: Term): boolean {
  return Array.from(words.join(' ')).length >= SHORTEST_OPEN
}

export function isUnspaced(word: string | undefined): boolean {
  return word !== undefined && UNSPACED.test(word)
}

/** The part of an indexed text that a text with the term has. */
export function partOf({ words, isOpen }: Term): string {
  const before = isUnspaced(words[0]) ? '' : ' '
  const after = isOpen || isUnspaced(words.at(-1)) ? '' : ' '
  return `${before}${words.join(' ')}${after}`
}
