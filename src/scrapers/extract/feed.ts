import { type Element, parseXml, textOf, toUrl, type XmlDocument } from './dom.ts'
import { type JsonObject, toTime } from './values.ts'

interface FeedEntry {
  readonly url: string | null
  readonly data: JsonObject
}

interface Feed {
  readonly entries: readonly FeedEntry[]
  /** What the log should say. */
  readonly notes: readonly string[]
}

/** By the beginning of a document. */
export function isFeed(head: string): boolean {
  return /<(?:rss|feed|rdf:RDF)[\s>]/i.test(head)
}

/** An RSS or Atom document; anything else has no entries. */
export function readFeed(text: string, base: string): Feed {
  const { document, notes } = parseXml(text)
  const root = document.documentElement?.localName.toLowerCase().replace(/^.*:/, '')
  if (root === 'feed') {
    return { entries: entriesOf(document, 'entry').map((entry) => fromAtom(entry, base)), notes }
  }
  if (root === 'rss' || root === 'rdf') {
    return { entries: entriesOf(document, 'item').map((item) => fromRss(item, base)), notes }
  }
  return { entries: [], notes }
}

function entriesOf(document: XmlDocument, name: string): Element[] {
  return [...document.querySelectorAll(name)]
}

function fromRss(item: Element, base: string): FeedEntry {
  const link = child(item, 'link')
  const guid = child(item, 'guid')
  const isAddress = guid?.getAttribute('isPermaLink') !== 'false'
  const linked = link && toUrl(textOf(link), baseOf(link, base))
  const url = linked ?? (isAddress ? toUrl(textOf(guid), baseOf(guid ?? item, base)) : null)
  return {
    url,
    data: {
      title: textOf(child(item, 'title')),
      url,
      author: textOf(child(item, 'dc:creator')) ?? textOf(child(item, 'author')),
      published_at: toTime(textOf(child(item, 'pubdate')) ?? textOf(child(item, 'dc:date'))),
      summary: textOf(child(item, 'description')),
      content: contentOf(child(item, 'content:encoded')),
      categories: children(item, 'category').flatMap((each) => textOf(each) ?? []),
    },
  }
}

function fromAtom(entry: Element, base: string): FeedEntry {
  const links = children(entry, 'link')
  const main = links.find((link) => (link.getAttribute('rel') ?? 'alternate') === 'alternate')
  const link = main ?? links[0]
  const url = link ? toUrl(link.getAttribute('href'), baseOf(link, base)) : null
  return {
    url,
    data: {
      title: textOf(child(entry, 'title')),
      url,
      author: textOf(child(entry, 'author')?.querySelector('name')),
      published_at: toTime(textOf(child(entry, 'published')) ?? textOf(child(entry, 'updated'))),
      summary: textOf(child(entry, 'summary')),
      content: contentOf(child(entry, 'content')),
      categories: children(entry, 'category').flatMap((each) => each.getAttribute('term') ?? []),
    },
  }
}

/** By all `xml:base` around an address, of which each may be relative to that before it. */
function baseOf(element: Element, base: string): string {
  const { parentElement } = element
  const outer = parentElement ? baseOf(parentElement, base) : base
  return toUrl(element.getAttribute('xml:base'), outer) ?? outer
}

/** As it is written: feeds carry markup as text. */
function contentOf(element: Element | undefined): string | null {
  return element?.textContent?.trim() || null
}

function child(element: Element, name: string): Element | undefined {
  return children(element, name)[0]
}

/** By full name, prefix included, whatever its case. */
function children(element: Element, name: string): Element[] {
  return [...element.children].filter((each) => each.tagName.toLowerCase() === name)
}
