import { renderMarkup } from '#content'
import type { Destinations } from './destinations.ts'
import { contentLink, mediaLink } from './links.ts'
import { linksIn, parseHtml, type ToAttributes, toTree } from './tree.ts'

/** One value of rich text. */
interface RichText {
  readonly text: string
  readonly format: string
}

/** Rich text in one of its two forms (contract §4.2). */
export interface RichTexts {
  /** What links in it lead to, to be looked up before it is rendered. */
  hrefsIn(value: RichText): readonly string[]
  render(value: RichText | undefined, links: Destinations): string
}

const LOCAL_HREF = /href="(\/?\{localLink:[^"]*)"/g

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
  if (typeof destination !== 'object') return ''
  if (destination.kind === 'Media') return `href="${destination.file.url}${suffix}"`
  const { path, startItem } = destination.document.route
  const start = `data-start-item-path="${startItem.path}" data-start-item-id="${startItem.id}"`
  return `href="${path}${suffix}" ${start}`
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
    const query = suffix === '' ? {} : { queryString: suffix }
    return destination.kind === 'Content'
      ? { ...others, ...query, ...contentLink(destination.document) }
      : { ...others, href: destination.file.url, ...query, ...mediaLink(destination.file) }
  }
}
