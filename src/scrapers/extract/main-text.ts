import { Readability } from '@mozilla/readability'
import { type Document, type Element, parseHtml } from './dom.ts'

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
const BOILERPLATE =
  'script, style, noscript, template, nav, header, footer, aside, form, svg, iframe'
const BLOCKS =
  'p, h1, h2, h3, h4, h5, h6, li, blockquote, pre, figcaption, td, th, dt, dd, div, section, article'
const LINE = '\n'

/** What a person would read of the page. Changes the document: it comes last. */
export function readMainText(document: Document): MainText {
  const read = tryReading(document)
  const text = read?.content ? toText(parseHtml(read.content).body) : textWithoutFrame(document)
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
  try {
    const options = { maxElemsToParse: MAX_ELEMENTS, disableJSONLD: true }
    return new Readability(document, options).parse()
  } catch {
    return null
  }
}

function textWithoutFrame(document: Document): string | null {
  const { body } = document
  if (!body) return null
  for (const element of [...body.querySelectorAll(BOILERPLATE)]) element.remove()
  return toText(body)
}

/** Lines where blocks begin and end; spaces inside them are single. */
function toText(root: Element | null): string | null {
  if (!root) return null
  for (const each of root.querySelectorAll('br')) replaceByBreak(each)
  for (const block of root.querySelectorAll(BLOCKS)) surround(block)
  const lines = (root.textContent ?? '')
    .split(LINE)
    .map((line) => line.replaceAll(/\s+/gu, ' ').trim())
  return lines.filter((line) => line !== '').join('\n\n') || null
}

interface Changing {
  before?(...texts: string[]): void
  after?(...texts: string[]): void
}

function surround(block: Element & Changing) {
  block.before?.(LINE)
  block.after?.(LINE)
}

function replaceByBreak(element: Element & Changing) {
  element.after?.(LINE)
}
