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
  const url = toUrl(textOf(link), base) ?? (isAddress ? toUrl(textOf(guid), base) : null)
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
  const url = toUrl((main ?? links[0])?.getAttribute('href') ?? null, base)
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
