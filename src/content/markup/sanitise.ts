import type { Vocabulary } from './vocabulary.ts'

const VOID = new Set(['br', 'hr', 'img', 'col', 'source', 'wbr'])
/** What is inside them is no text of the page. */
const DROPPED_WHOLE =
  /^(script|style|template|noscript|iframe|object|embed|svg|math|textarea|title|xmp|noembed|noframes|plaintext|select)$/
const URLS = new Set(['href', 'src', 'cite', 'poster'])
const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g
const DATA = /^data-([a-z][a-z0-9_-]{0,59})$/
const RUNNING = /^(on.*|style|srcdoc|srcset|action|formaction|background|http-equiv)$/
const SAFE_URL = /^(?:https?|mailto|tel|ftp):|^[^a-z]*$|^[^:]*(?:[/?#]|$)/i
const ENTITY = /&(?!(?:[a-zA-Z][a-zA-Z0-9]{1,31}|#\d{1,7}|#[xX][\da-fA-F]{1,6});)/g

/**
 * HTML with nothing but the elements and attributes of a vocabulary. The answer is written anew from
 * what was recognised: whatever was not is text, so no reading of the input can let a tag through.
 */
export function sanitise(html: string, vocabulary: Vocabulary, keepsData = false): string {
  const open: string[] = []
  let out = ''
  let skipped: string | undefined
  for (const piece of piecesOf(html)) {
    if (skipped !== undefined) {
      if (piece.kind === 'end' && piece.name === skipped) skipped = undefined
    } else if (piece.kind === 'text') out += textOf(piece.text)
    else if (piece.kind === 'end') out += close(open, piece.name)
    else if (DROPPED_WHOLE.test(piece.name)) skipped = piece.name
    else out += openTag(piece.name, piece.rest)
  }
  return out + close(open, open[0] ?? '')

  function openTag(name: string, rest: string): string {
    const allowed = vocabulary.get(name)
    if (!allowed) return ''
    if (!VOID.has(name)) open.push(name)
    return `<${name}${attributesOf(rest, allowed, keepsData)}>`
  }
}

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'start'; readonly name: string; readonly rest: string }
  | { readonly kind: 'end'; readonly name: string }

const NAME = /[a-zA-Z][^\s/>]*/y

/** Texts and tags in order, in one pass; comments and declarations are left out. */
function* piecesOf(html: string): Generator<Piece> {
  let from = 0
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', from)) {
    if (at > from) yield { kind: 'text', text: html.slice(from, at) }
    const found = tagAt(html, at)
    if (found.piece) yield found.piece
    from = found.next
  }
  if (from < html.length) yield { kind: 'text', text: html.slice(from) }
}

/** As browsers read it: a name after `<` or `</` begins a tag, which ends at `>` outside quotes. */
function tagAt(html: string, at: number): { piece?: Piece; next: number } {
  const second = html[at + 1]
  if (second === '!' || second === '?') return { next: endOfComment(html, at) }
  const isEnd = second === '/'
  NAME.lastIndex = at + (isEnd ? 2 : 1)
  const [name] = NAME.exec(html) ?? []
  if (name === undefined) return { piece: { kind: 'text', text: '<' }, next: at + 1 }
  const start = at + (isEnd ? 2 : 1) + name.length
  const end = endOfTag(html, start)
  // It never ends, so there is no tag: the rest is text, as it was written.
  if (end === -1) return { piece: { kind: 'text', text: html.slice(at) }, next: html.length }
  const lower = name.toLowerCase()
  const piece: Piece = isEnd
    ? { kind: 'end', name: lower }
    : { kind: 'start', name: lower, rest: html.slice(start, end) }
  return { piece, next: end + 1 }
}

function endOfComment(html: string, at: number): number {
  const isComment = html.startsWith('<!--', at)
  const end = html.indexOf(isComment ? '-->' : '>', at + 2)
  return end === -1 ? html.length : end + (isComment ? 3 : 1)
}

function endOfTag(html: string, from: number): number {
  let quote = ''
  for (let at = from; at < html.length; at++) {
    const char = html[at] ?? ''
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '>') return at
    else if ((char === '"' || char === "'") && html[at - 1] === '=') quote = char
  }
  return -1
}

/** Closes what is open inside it too; an end without a beginning is dropped. */
function close(open: string[], name: string): string {
  const from = open.lastIndexOf(name)
  if (from < 0) return ''
  return open
    .splice(from)
    .toReversed()
    .map((each) => `</${each}>`)
    .join('')
}

function attributesOf(text: string, allowed: readonly string[], keepsData: boolean): string {
  const shown = new Map<string, string>()
  for (const [, rawName = '', double, single, bare] of text.matchAll(ATTRIBUTE)) {
    const name = rawName.toLowerCase()
    const value = double ?? single ?? bare ?? ''
    const isData = keepsData && isSafeData(name, value)
    if ((!isData && !allowed.includes(name)) || shown.has(name)) continue
    if (URLS.has(name) && !isSafeUrl(value)) continue
    if (name === 'srcset' && !value.split(',').every((part) => isSafeUrl(part.trim()))) continue
    shown.set(name, value)
  }
  if (shown.get('target') !== undefined) shown.set('rel', 'noopener noreferrer')
  return [...shown].map(([name, value]) => ` ${name}="${escapeValue(value)}"`).join('')
}

/** Clients may read `data-href` for `href`: it must be no less safe. */
function isSafeData(name: string, value: string): boolean {
  const [, meant] = DATA.exec(name) ?? []
  if (meant === undefined || RUNNING.test(meant)) return false
  return !URLS.has(meant) || isSafeUrl(value)
}

/** Schemes that run nothing, and URLs without one. */
function isSafeUrl(value: string): boolean {
  return SAFE_URL.test(decoded(value).replaceAll(/[\s\p{Cc}]/gu, ''))
}

/** Numeric references and the few named ones that could hide a scheme. */
function decoded(value: string): string {
  return value
    .replaceAll(/&#(?:[xX]([\da-fA-F]{1,6})|(\d{1,7}));?/g, (_, hex, decimal) =>
      toCharacter(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    .replaceAll(/&(?:colon|tab|newline|lpar|rpar);?/gi, (name) => NAMED[name.toLowerCase()] ?? ':')
}

const NAMED: Readonly<Record<string, string>> = { '&tab;': '\t', '&newline;': '\n' }

function toCharacter(code: number): string {
  return code > 0x10ffff ? '' : String.fromCodePoint(code)
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Character references of the author stay what they are. */
function textOf(text: string): string {
  return text.replaceAll(ENTITY, '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function escapeValue(value: string): string {
  return textOf(value).replaceAll('"', '&quot;')
}
