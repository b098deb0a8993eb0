import { type Token, type TokenHandler, Tokenizer, TokenizerMode } from 'parse5'
import type { Vocabulary } from './vocabulary.ts'

const VOID = new Set(['br', 'hr', 'img', 'col', 'source', 'wbr'])
/** Elements whose content is no markup, with the state in which the tokeniser reads that content. */
const RAW_TEXT = new Map([
  ['script', TokenizerMode.SCRIPT_DATA],
  ['style', TokenizerMode.RAWTEXT],
  ['noscript', TokenizerMode.RAWTEXT],
  ['iframe', TokenizerMode.RAWTEXT],
  ['xmp', TokenizerMode.RAWTEXT],
  ['noembed', TokenizerMode.RAWTEXT],
  ['noframes', TokenizerMode.RAWTEXT],
  ['textarea', TokenizerMode.RCDATA],
  ['title', TokenizerMode.RCDATA],
  ['plaintext', TokenizerMode.PLAINTEXT],
])
const FOREIGN = new Set(['svg', 'math'])
/** What is inside these elements is no text of the page. */
const DROPPED_WHOLE = new Set([...RAW_TEXT.keys(), ...FOREIGN, 'template', 'object', 'select'])
const URLS = new Set(['href', 'src', 'cite', 'poster'])
const DATA = /^data-([a-z][a-z0-9_-]{0,59})$/
const RUNNING = /^(on.*|style|srcdoc|srcset|action|formaction|background|http-equiv)$/
const SAFE_URL = /^(?:https?|mailto|tel|ftp):|^[^a-z]*$|^[^:]*(?:[/?#]|$)/i
const STRAY_AMPERSAND = /&(?!(?:[a-zA-Z][a-zA-Z0-9]{1,31}|#\d{1,7}|#[xX][\da-fA-F]{1,6});)/g

/**
 * HTML with nothing but the elements and attributes of a vocabulary. The input is read as browsers
 * read it, by parse5's tokeniser, and the answer is written anew from the tags that are allowed. All
 * else is text or nothing, so no other reading of the input can let a tag through.
 */
export function sanitise(html: string, vocabulary: Vocabulary, keepsData = false): string {
  const source = html.replaceAll('\0', '').replaceAll(/\r\n?/g, '\n')
  const open = createOpenElements()
  let out = ''
  let textFrom = 0
  let dropped: { readonly name: string; depth: number } | undefined
  const handler: TokenHandler = {
    onStartTag(tag) {
      endText(tag)
      startElement(tag)
    },
    onEndTag(tag) {
      endText(tag)
      if (!dropped) out += open.close(tag.tagName)
      else if (tag.tagName === dropped.name && --dropped.depth === 0) drop(undefined)
    },
    onComment: endText,
    onDoctype: endText,
    // A tag that never ends is no token: what was written of it is text.
    onEof: () => endText({ location: null }),
    // Text is cut out of the source between two tags: references stay as their author wrote them.
    onCharacter() {},
    onNullCharacter() {},
    onWhitespaceCharacter() {},
  }
  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: true }, handler)
  tokenizer.write(source, true)
  return out + open.closeAll()

  function endText({ location }: Pick<Token.TagToken, 'location'>): void {
    if (!dropped) out += textOf(source.slice(textFrom, location?.startOffset))
    textFrom = location?.endOffset ?? source.length
  }

  function startElement({ tagName, attrs, selfClosing }: Token.TagToken): void {
    if (!tokenizer.inForeignNode) tokenizer.state = RAW_TEXT.get(tagName) ?? tokenizer.state
    const isEmpty = selfClosing && FOREIGN.has(tagName)
    const allowed = vocabulary.get(tagName)
    if (dropped) dropped.depth += tagName === dropped.name && !isEmpty ? 1 : 0
    else if (DROPPED_WHOLE.has(tagName)) drop(isEmpty ? undefined : tagName)
    else if (allowed) {
      if (!VOID.has(tagName)) open.add(tagName)
      out += `<${tagName}${attributesOf(attrs, allowed, keepsData)}>`
    }
  }

  function drop(name: string | undefined): void {
    dropped = name === undefined ? undefined : { name, depth: 1 }
    tokenizer.inForeignNode = name !== undefined && FOREIGN.has(name)
  }
}

/** Elements that were begun and not ended yet, the innermost last. */
function createOpenElements() {
  const names: string[] = []
  const counts = new Map<string, number>()
  return { add, close, closeAll: () => endTags(0) }

  function add(name: string): void {
    names.push(name)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }

  /** Closes what is open inside the element too; an end without a beginning is dropped. */
  function close(name: string): string {
    return (counts.get(name) ?? 0) > 0 ? endTags(names.lastIndexOf(name)) : ''
  }

  function endTags(from: number): string {
    const ended = names.splice(from).toReversed()
    for (const name of ended) counts.set(name, (counts.get(name) ?? 0) - 1)
    return ended.map((name) => `</${name}>`).join('')
  }
}

/** Values are those a browser would see, with every character reference resolved. */
function attributesOf(
  attributes: readonly Token.Attribute[],
  allowed: readonly string[],
  keepsData: boolean,
): string {
  const shown = new Map<string, string>()
  for (const { name, value } of attributes) {
    const isData = keepsData && isSafeData(name, value)
    if (!isData && !allowed.includes(name)) continue
    if (URLS.has(name) && !isSafeUrl(value)) continue
    if (name === 'srcset' && !value.split(',').every((part) => isSafeUrl(part))) continue
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

/** Schemes that run nothing, and URLs without one; browsers pass over blanks and controls in a scheme. */
function isSafeUrl(value: string): boolean {
  return SAFE_URL.test(value.replaceAll(/[\s\p{Cc}]/gu, ''))
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Character references of the author stay what they are. */
function textOf(text: string): string {
  return text.replaceAll(STRAY_AMPERSAND, '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function escapeValue(value: string): string {
  return escapeHtml(value.replaceAll(/[^\P{Cc}\t\n]/gu, '')).replaceAll('"', '&quot;')
}
