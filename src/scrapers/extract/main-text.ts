import { Readability } from '@mozilla/readability'
import { type Document, type Element, isElement, isText, type Node } from './dom.ts'

export interface MainText {
  readonly title: string | null
  readonly byline: string | null
  readonly excerpt: string | null
  readonly siteName: string | null
  readonly language: string | null
  readonly publishedTime: string | null
  /** Paragraphs, separated by empty lines. */
  readonly text: string | null
}

/** A page with more elements than this has its whole text taken, not searched for its main part. */
const MAX_ELEMENTS = 50_000
/** The search may copy all of them several times. */
const MAX_NODES = 150_000
/** Copied too, as text that is parsed again. */
const MAX_ATTRIBUTES = 50_000
/**
 * The search takes a time that grows with the square of each element's depth; a page of a few hundred
 * elements, each inside the one before, would keep the thread for minutes. Real pages are far below.
 */
const MAX_SQUARED_DEPTHS = 10_000_000
const BOILERPLATE =
  'script, style, noscript, template, nav, header, footer, aside, form, svg, iframe'
const BLOCKS = new Set([
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'blockquote', 'pre', 'figcaption'],
  ...['td', 'th', 'dt', 'dd', 'div', 'section', 'article'],
])
const LINE = '\n'
/** Elements that say of themselves what they are; words that only contain these letters do not. */
const ADVERTISEMENTS =
  '.ad, .ads, .advert, .advertisement, .adsbygoogle, [aria-label="Advertisement" i]'
/** A longer one is an article about advertisements. */
const MAX_ADVERTISEMENT = 500
/** What is found is taken when it has so many characters; below, forms and the like are searched too. */
const SHORT_ARTICLE = 250
const MENU_LINKS = 3
const MENU_SHARE = 0.8

/** What a person would read of the page. Changes the document: it comes last. */
export function readMainText(document: Document): MainText {
  removeAdvertisements(document)
  const read = tryReading(document)
  const text = read?.content ? toText(read.content, isMenu) : textWithoutFrame(document)
  return {
    title: read?.title?.trim() || null,
    byline: read?.byline?.trim() || null,
    excerpt: read?.excerpt?.trim() || null,
    siteName: read?.siteName?.trim() || null,
    language: read?.lang?.trim() || null,
    publishedTime: read?.publishedTime ?? null,
    text,
  }
}

function tryReading(document: Document) {
  if (isTooMuch(document)) return null
  try {
    // The main part stays an element: as text it would have to be parsed again.
    const serializer = (content: Element) => content
    const options = {
      ...{ disableJSONLD: true, serializer },
      charThreshold: SHORT_ARTICLE,
    }
    return new Readability(document, options).parse()
  } catch {
    return null
  }
}

function removeAdvertisements(document: Document) {
  // The innermost first: what is gone is not read again by those around it.
  for (const element of [...document.querySelectorAll(ADVERTISEMENTS)].reverse()) {
    const isWhole = element.localName === 'body' || element.localName === 'html'
    if (!isWhole && (element.textContent?.length ?? 0) <= MAX_ADVERTISEMENT) element.remove()
  }
}

/** Layout tables keep menus in cells, which the search for the main part takes for data. */
function isMenu(element: Element): boolean {
  if (element.localName !== 'td') return false
  const links = [...element.querySelectorAll('a[href]')]
  if (links.length < MENU_LINKS) return false
  const linked = links.reduce((sum, link) => sum + (link.textContent?.trim().length ?? 0), 0)
  return linked >= MENU_SHARE * (element.textContent?.replaceAll(/\s+/gu, '').length ?? 0)
}

/** The search has a limit of its own, which counts by a name that our document does not know. */
function isTooMuch({ documentElement }: Document): boolean {
  if (!documentElement) return false
  let elements = 0
  let nodes = 0
  let attributes = 0
  let squares = 0
  let level = [documentElement]
  for (let depth = 1; level.length > 0; depth++) {
    elements += level.length
    squares += level.length * depth ** 2
    if (elements > MAX_ELEMENTS || squares > MAX_SQUARED_DEPTHS) return true
    for (const element of level) attributes += element.attributes.length
    if (attributes > MAX_ATTRIBUTES) return true
    const inside = level.flatMap(({ childNodes }) => [...childNodes])
    nodes += inside.length
    if (nodes > MAX_NODES) return true
    level = inside.filter(isElement)
  }
  return false
}

function textWithoutFrame(document: Document): string | null {
  const { body } = document
  if (!body) return null
  for (const element of [...body.querySelectorAll(BOILERPLATE)]) element.remove()
  return toText(body)
}

/** Lines where blocks begin and end; spaces inside them are single. */
function toText(
  root: Element | null,
  isLeftOut: (element: Element) => boolean = () => false,
): string | null {
  if (!root) return null
  const lines = piecesOf(root, isLeftOut)
    .join('')
    .split(LINE)
    .map((line) => line.replaceAll(/\s+/gu, ' ').trim())
  return lines.filter((line) => line !== '').join('\n\n') || null
}

/** Without recursion: pages nest elements as deep as they like. */
function piecesOf(root: Element, isLeftOut: (element: Element) => boolean): string[] {
  const pieces: string[] = []
  const ahead: (Node | string)[] = [root]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'string') pieces.push(next)
    else if (isText(next)) pieces.push(next.textContent ?? '')
    // A template is no part of the page that has blocks of its own.
    else if (isElement(next) && next.localName === 'template') pieces.push(next.textContent ?? '')
    else if (isElement(next) && !isLeftOut(next)) {
      const isBlock = BLOCKS.has(next.localName)
      if (isBlock) pieces.push(LINE)
      if (isBlock || next.localName === 'br') ahead.push(LINE)
      for (const child of [...next.childNodes].reverse()) ahead.push(child)
    }
  }
  return pieces
}
