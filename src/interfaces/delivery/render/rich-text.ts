import { renderMarkup } from '#content'
import type { Destinations } from './destinations.ts'
import { mediaLink, routedLink } from './links.ts'
import { linksIn, parseHtml, type ToAttributes, toTree } from './tree.ts'

/** One value of rich text. */
export interface RichText {
  readonly text: string
  readonly format: string
}

/** Rich text in one of its two forms (contract §4.2). */
export interface RichTexts {
  /** What links in it lead to, to be looked up before it is rendered. */
  hrefsIn(value: RichText): readonly string[]
  render(value: RichText | undefined, links: Destinations): string
}

/** A link of an author who named its destination by id, as `sanitise` writes it. */
const LOCAL_HREF = / href="(\/?\{localLink:[^"]*)"/g

export function createRichTexts(asTree: boolean): RichTexts {
  return asTree ? createTrees() : MARKUP
}

const MARKUP: RichTexts = {
  hrefsIn(value) {
    // Markup is shown as it is written but for links that have no address of their own.
    if (!value.text.includes('{localLink:')) return []
    return [...htmlOf(value).matchAll(LOCAL_HREF)].map(([, href = '']) => href)
  },
  render(value, links) {
    const html = value ? htmlOf(value) : ''
    const markup = html.replaceAll(LOCAL_HREF, (_, href) => localHref(href, links))
    return `{"markup":${JSON.stringify(markup)},"blocks":[]}`
  },
}

function htmlOf({ text, format }: RichText): string {
  return renderMarkup(text, format, { keepsData: true })
}

function localHref(href: string, links: Destinations): string {
  const { destination, suffix } = links.follow(href)
  // The text of the link stays, without the blank before an address that it has no longer.
  if (typeof destination !== 'object') return ''
  if (destination.kind === 'Media') {
    const { file } = destination
    return ` href="${file.url}${suffix}"${dataOf(mediaLink(file))}`
  }
  const { route, ...link } = routedLink(destination.document, suffix)
  const { path, startItem } = route
  const start = { startItemPath: startItem.path, startItemId: startItem.id }
  return ` href="${path}${suffix}"${dataOf({ ...start, ...link })}`
}

/** What a tree shows as members stands in markup as `data-` attributes. */
function dataOf(members: Readonly<Record<string, string>>): string {
  return Object.entries(members)
    .map(
      ([name, value]) =>
        ` data-${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}="${escapeValue(value)}"`,
    )
    .join('')
}

function escapeValue(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

function createTrees(): RichTexts {
  const parsed = new Map<string, ReturnType<typeof parseHtml>>()
  return { hrefsIn: (value) => linksIn(parsedOf(value)), render }

  function parsedOf(value: RichText) {
    const key = `${value.format} ${value.text}`
    const found = parsed.get(key) ?? parseHtml(htmlOf(value))
    parsed.set(key, found)
    return found
  }

  function render(value: RichText | undefined, links: Destinations): string {
    const elements = value ? toTree(parsedOf(value), withDestination(links)) : []
    return elements
      ? JSON.stringify({ tag: '#root', attributes: {}, elements, blocks: [] })
      : 'null'
  }
}

/** A link to an entry has its destination instead of an address, one to a file has both. */
function withDestination(links: Destinations): ToAttributes {
  return (attributes) => {
    const { href, ...others } = attributes
    if (href === undefined) return attributes
    const { destination, suffix } = links.follow(href)
    if (destination === undefined) return attributes
    if (destination === 'gone') return others
    return destination.kind === 'Content'
      ? { ...others, ...routedLink(destination.document, suffix) }
      : { ...others, href: `${destination.file.url}${suffix}`, ...mediaLink(destination.file) }
  }
}
