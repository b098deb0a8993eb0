import { wordsOf } from '#db'
import { fold } from '../fold.ts'
import { isUnspaced, type Term } from './terms.ts'

const LONGEST = 240
const BEFORE = 80
/** Further on nothing is marked: a page of hits must not take the thread from others. */
const LOOKED_AT = 100_000
/** Without `<` inside, or a text of nothing else would be read once for each of them. */
const MARKUP = /<[^<>]*>/g
const WORD = /[^\s\p{P}\p{S}]+/gu

/**
 * The piece of a text in which the words first occur, safe as HTML, with `<mark>` around them; null when
 * there are none. Of long texts and of `markup` only the text that people read.
 */
export function highlight(
  text: string,
  terms: readonly Term[],
  { markup = false } = {},
): string | null {
  const part = text.slice(0, LOOKED_AT)
  const shown = markup ? part.replaceAll(MARKUP, ' ') : part
  const found = findMarks(shown, terms)
  const [first] = found
  if (!first) return null
  const from = first.from <= BEFORE ? 0 : startOfWord(shown, first.from - BEFORE)
  const to = Math.min(shown.length, from + LONGEST)
  let html = from > 0 ? '…' : ''
  let at = from
  for (const mark of found) {
    if (mark.to > to) break
    html += `${escaped(shown.slice(at, mark.from))}<mark>${escaped(shown.slice(mark.from, mark.to))}</mark>`
    at = mark.to
  }
  const end = to < shown.length || part.length < text.length ? '…' : ''
  // A cut may be inside of a character.
  return (html + escaped(shown.slice(at, to)) + end).toWellFormed()
}

interface Mark {
  readonly from: number
  readonly to: number
}

/** Word by word, so that folding, which may change lengths, moves nothing. */
function findMarks(text: string, terms: readonly Term[]): readonly Mark[] {
  const marks: Mark[] = []
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (index > (marks[0]?.from ?? index) + LONGEST) break
    const folded = fold(word)
    const mark = terms.map((term) => markIn(word, folded, term)).find((each) => each !== null)
    if (mark) marks.push({ from: index + mark.from, to: index + mark.to })
  }
  return marks
}

function markIn(word: string, folded: string, { words, isOpen }: Term): Mark | null {
  for (const [at, asked] of words.entries()) {
    if (folded === asked) return { from: 0, to: word.length }
    const isLast = isOpen && at === words.length - 1
    if (isLast && folded.startsWith(asked)) return { from: 0, to: word.length }
    const inside = isUnspaced(asked) ? folded.indexOf(asked) : -1
    // Where folding has changed the length of the word, all of it is marked.
    if (inside >= 0 && folded.length === word.length) {
      return { from: inside, to: inside + asked.length }
    }
    if (inside >= 0 || wordsOf(folded).includes(asked)) return { from: 0, to: word.length }
  }
  return null
}

function startOfWord(text: string, from: number): number {
  const space = text.indexOf(' ', from)
  return space < 0 ? from : space + 1
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
