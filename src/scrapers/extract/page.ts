import type { Extract } from '../definition/definition.ts'
import { createGlobs } from '../glob.ts'
import { readPage } from './auto.ts'
import { attributeOf, baseOf, type Element, limitDepth, parseHtml, textOf, toUrl } from './dom.ts'
import { isFeed, readFeed } from './feed.ts'
import { createFieldReader } from './fields.ts'
import { findLinks } from './links.ts'
import { CUT, HTML as PAGE, readablePart } from './readable.ts'
import { readSitemap } from './sitemap.ts'
import { isList, type Json, type JsonObject, parseJson, valueAt } from './values.ts'

export interface FetchedPage {
  /** Where the answer came from. */
  readonly url: URL
  readonly contentType: string | null
  readonly text: string
  readonly isStart: boolean
}

export interface Extracted {
  readonly items: readonly ExtractedItem[]
  /** Absolute addresses; not yet held against any scope. */
  readonly links: readonly string[]
  /** Items dropped because a required field was empty. */
  readonly dropped: number
  /** There may be more items and links than could be read. */
  readonly isPartial: boolean
  /** What the log should say. */
  readonly notes: readonly string[]
  /** False: nothing here can be understood as a page. */
  readonly isUnderstood: boolean
}

interface ExtractedItem {
  /** Of a feed's entry, its own address. */
  readonly url: string
  readonly data: Json
}

const HTML = /^(?:text\/html|application\/xhtml\+xml)$/
const JSON_TYPE = /^(?:application|text)\/(?:[\w.+-]*\+)?json$/
const XML = /^(?:application|text)\/(?:[\w.+-]*\+)?xml$/
const MAX_NOTES = 20
const NOTHING: Extracted = {
  ...{ items: [], links: [], dropped: 0, isPartial: false, notes: [], isUnderstood: false },
}

/** Turns what was fetched into items and links (scrapers contract §5). Built once for a run. */
export function createExtractor(extract: Extract) {
  const isMatched = extract.match.length > 0 ? createGlobs(extract.match) : () => true
  const readFields = createFieldReader(extract.fields)
  const readers = { html: fromHtml, json: fromJson, feed: fromFeed, sitemap: fromSitemap }
  return (page: FetchedPage): Extracted => {
    const kind = kindOf(page)
    const isWanted = isMatched(page.url)
    // JSON leads nowhere, so that nothing of it is missed.
    if (kind === 'json' && !isWanted) return { ...NOTHING, isUnderstood: true }
    const extracted = kind === null ? fromOther(page) : readers[kind](page)
    return isWanted ? extracted : { ...extracted, items: [] }
  }

  function fromOther({ url, isStart }: FetchedPage): Extracted {
    if (!isStart) return NOTHING
    return { ...NOTHING, items: [{ url: url.href, data: {} }], isUnderstood: true }
  }

  function fromHtml({ url, text }: FetchedPage): Extracted {
    const part = readablePart(text, PAGE)
    const document = parseHtml(part)
    const links = findLinks(document, url.href)
    const base = baseOf(document, url.href)
    limitDepth(document)
    const { itemSelector, mode } = extract
    const scopes = itemSelector === null ? [document] : [...document.querySelectorAll(itemSelector)]
    const read = scopes.map((scope) => (mode === 'auto' ? null : readFields(scope, base)))
    const shown = scopes.map((scope) => (itemSelector === null ? null : readPart(scope, base)))
    // The automatic reading of a whole page changes the document, so it comes last.
    const whole = mode === 'fields' || itemSelector !== null ? null : readPage(document, url.href)
    const items = scopes.flatMap((_, index) => {
      const fields = read[index]
      if (fields && fields.missing !== null) return []
      const automatic = mode === 'fields' ? null : (shown[index] ?? whole?.data ?? null)
      return [{ url: url.href, data: { ...automatic, ...fields?.data } }]
    })
    return {
      ...{ items, links, isPartial: part !== text, isUnderstood: true },
      dropped: scopes.length - items.length,
      notes: [...(part === text ? [] : [CUT]), ...notesOf(read, whole?.brokenJsonLd ?? 0)],
    }
  }

  function fromJson({ url, text }: FetchedPage): Extracted {
    const parsed = parseJson(text)
    if (parsed === undefined) return unread('The body is not JSON')
    const { itemPath } = extract
    const inside = itemPath === null ? parsed : valueAt(parsed, itemPath)
    if (inside === undefined) return unread(`There is nothing at extract.item_path (${itemPath})`)
    const list = isList(inside) ? inside : [inside]
    const items = list.map((data) => ({ url: url.href, data }))
    return { ...NOTHING, items, isUnderstood: true }
  }

  function fromFeed({ url, text }: FetchedPage): Extracted {
    const { entries, notes } = readFeed(text, url.href)
    return {
      ...NOTHING,
      items: entries.map((entry) => ({ url: entry.url ?? url.href, data: entry.data })),
      links: entries.flatMap((entry) => entry.url ?? []),
      ...{ notes, isPartial: notes.length > 0 },
      isUnderstood: true,
    }
  }

  function fromSitemap({ url, text }: FetchedPage): Extracted {
    const { pages, sitemaps, notes } = readSitemap(text, url.href)
    const isPartial = notes.length > 0
    return { ...NOTHING, links: [...pages, ...sitemaps], notes, isPartial, isUnderstood: true }
  }
}

/** An answer that should have held items and is something else, as APIs are that fail with a 200. */
function unread(note: string): Extracted {
  return { ...NOTHING, isPartial: true, notes: [note], isUnderstood: true }
}

export function isHtml(contentType: string | null): boolean {
  return contentType !== null && HTML.test(contentType)
}

function kindOf({ contentType, text }: FetchedPage): 'html' | 'json' | 'feed' | 'sitemap' | null {
  const type = contentType ?? ''
  if (JSON_TYPE.test(type)) return 'json'
  if (isHtml(contentType)) return 'html'
  if (XML.test(type) || type === '' || type === 'text/plain') {
    const head = text.slice(0, 2_000)
    if (isFeed(head)) return 'feed'
    if (/<(?:\w+:)?(?:urlset|sitemapindex)[\s>]/i.test(head)) return 'sitemap'
    if (type === '' && /<(?:!doctype html|html|head|body)[\s>]/i.test(head)) return 'html'
  }
  return null
}

/** What an element that is one item of many shows: there is no page to be read around it. */
function readPart(element: Element, base: string): JsonObject {
  const link = attributeOf(element.querySelector('a[href]'), 'href')
  return {
    title: textOf(element.querySelector('h1, h2, h3, h4, h5, h6, [itemprop~="name"]')),
    url: toUrl(link ?? attributeOf(element, 'href'), base),
    image: toUrl(attributeOf(element.querySelector('img[src]'), 'src'), base),
    text: textOf(element),
  }
}

function notesOf(
  read: readonly ({ readonly unconverted: readonly string[] } | null)[],
  brokenJsonLd: number,
): string[] {
  const names = new Set(read.flatMap((each) => each?.unconverted ?? []))
  const notes = [...names].map((name) => `${name} could not be converted`)
  if (brokenJsonLd > 0) notes.push(`${brokenJsonLd} JSON-LD blocks could not be read`)
  return notes.slice(0, MAX_NOTES)
}
