/** What requests and answers have in common: one grammar of heads, with one strictness. */
import { CONTENT_LENGTH, INVALID, kindOf, TRANSFER_ENCODING } from './header-kinds.ts'

export const NO_LENGTH = -1

/** How a head says where its message ends. */
export interface Framing {
  /** HTTP/1.0. */
  isOld: boolean
  /** Bytes of the body; below 0 when the head does not say. */
  length: number
  isChunked: boolean
}

/** Nothing that could end a line or a value elsewhere: RFC 9110 §5.5, RFC 9112 §2.2. */
const GOOD_LINES = /^[\t\x20-\x7e\x80-\xff]*(?:\r\n[\t\x20-\x7e\x80-\xff]*)*$/
/** What is not so in a text that is not complete: what follows a last `\r` is not known yet. */
const BAD_SO_FAR = /[^\t\r\n\x20-\x7e\x80-\xff]|\r[^\n]|[^\r]\n/
const BEGINNING = /^[A-Z\r]/
const SPACE = 32

export function hasBadCharacter(text: string): boolean {
  return !GOOD_LINES.test(text)
}

/** What cannot become a correct head any more is refused at once and not after a time limit. */
export function isHopeless(part: string, isBeginning: boolean): boolean {
  return BAD_SO_FAR.test(part) || (isBeginning && !BEGINNING.test(part))
}

/**
 * Walks the header lines of a head that ends before its empty line. False: one of them is no header,
 * must not be there, or `note` refused it.
 */
export function readHeaders<T extends Framing>(
  text: string,
  from: number,
  head: T,
  note: (head: T, kind: number, name: string, value: string) => boolean,
): boolean {
  let end = from
  while (end < text.length) {
    const start = end + 2
    end = text.indexOf('\r\n', start)
    if (end === -1) end = text.length
    const colon = text.indexOf(':', start)
    if (colon <= start || colon > end) return false
    const name = text.slice(start, colon)
    const kind = kindOf(name)
    if (kind === INVALID) return false
    const value = valueBetween(text, colon + 1, end)
    // Others do not take a tab for white space before or after a coding.
    if (kind === TRANSFER_ENCODING && text.slice(colon, end).includes('\t')) return false
    if (!note(head, kind, name, value)) return false
  }
  // RFC 9112 §6.3: two ways to find the end are a way to hide a message in another.
  return !head.isChunked || head.length === NO_LENGTH
}

/** False: the header makes the end of the message uncertain. */
export function noteFraming(framing: Framing, kind: number, value: string): boolean {
  if (kind === CONTENT_LENGTH) {
    // RFC 9112 §6.3: also the same length twice is a way to be read differently.
    if (framing.length !== NO_LENGTH || !/^\d{1,15}$/.test(value)) return false
    framing.length = Number(value)
    return true
  }
  // RFC 9112 §6.1: chunks in HTTP/1.0 come from somebody who does not know them.
  if (framing.isChunked || framing.isOld || value.toLowerCase() !== 'chunked') return false
  framing.isChunked = true
  return true
}

/** Whether a list, such as the one of `Connection`, has this member. */
export function hasOption(list: string, wanted: string): boolean {
  return optionsOf(list).includes(wanted)
}

export function optionsOf(list: string): string[] {
  return list
    .toLowerCase()
    .split(',')
    .map((option) => option.trim())
}

export function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}

/** Without white space around it, which is nearly always one space before. */
function valueBetween(text: string, from: number, end: number): string {
  const start = text.charCodeAt(from) === SPACE ? from + 1 : from
  if (text.charCodeAt(start) > SPACE && text.charCodeAt(end - 1) > SPACE) {
    return text.slice(start, end)
  }
  return text.slice(start, end).replace(/^[ \t]+|[ \t]+$/g, '')
}
