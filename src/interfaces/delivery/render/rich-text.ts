import { type DefaultTreeAdapterTypes as Html, parseFragment } from 'parse5'
import { renderMarkup } from '#content'
import type { Destinations } from './destinations.ts'
import { mediaLink, routedLink } from './links.ts'

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

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** An element of rich text as JSON; a text has `text` and nothing else. */
type TreeNode =
  | { readonly tag: '#text'; readonly text: string }
  | {
      readonly tag: string
      readonly attributes: Readonly<Record<string, Json>>
      readonly elements: readonly TreeNode[]
    }

/** What becomes of the attributes of a link. */
type ToAttributes = (attributes: Readonly<Record<string, string>>) => Readonly<Record<string, Json>>

/** Deeper markup has no tree: whoever reads it would run out of stack. */
const DEEPEST = 200
const ONLY_BREAKS = /^\s*[\r\n]\s*$/
const DATA = 'data-'

export function parseHtml(html: string): Html.DocumentFragment {
  return parseFragment(html)
}

/** Contract §4.2; undefined when the markup cannot be shown as a tree. */
export function toTree(
  { childNodes }: Html.DocumentFragment,
  toLinkAttributes: ToAttributes,
): readonly TreeNode[] | undefined {
  if (!isShallow(childNodes)) return undefined
  return toElements(childNodes, toLinkAttributes)
}

function isShallow(nodes: readonly Html.ChildNode[]): boolean {
  let level: readonly Html.ChildNode[] = nodes
  for (let depth = 0; depth < DEEPEST; depth++) {
    level = level.flatMap((node) => ('childNodes' in node ? node.childNodes : []))
    if (level.length === 0) return true
  }
  return false
}

/** The targets of all links, in order. */
export function linksIn({ childNodes }: Html.DocumentFragment): readonly string[] {
  const found: string[] = []
  let level: readonly Html.ChildNode[] = childNodes
  while (level.length > 0) {
    for (const node of level) {
      const href = node.nodeName === 'a' && 'attrs' in node && attributesOf(node)['href']
      if (href) found.push(href)
    }
    level = level.flatMap((node) => ('childNodes' in node ? node.childNodes : []))
  }
  return found
}

function toElements(nodes: readonly Html.ChildNode[], toLink: ToAttributes): readonly TreeNode[] {
  return nodes.flatMap((node): TreeNode[] => {
    if (node.nodeName === '#text' && 'value' in node) {
      return ONLY_BREAKS.test(node.value) ? [] : [{ tag: '#text', text: node.value }]
    }
    if (!('attrs' in node)) return []
    const own = attributesOf(node)
    const attributes = node.tagName === 'a' ? toLink(own) : own
    return [{ tag: node.tagName, attributes, elements: toElements(node.childNodes, toLink) }]
  })
}

/** `data-x` is `x` unless there is one. */
function attributesOf({ attrs }: Html.Element): Record<string, string> {
  const plain = attrs.filter(({ name }) => !name.startsWith(DATA))
  const data = attrs
    .filter(({ name }) => name.startsWith(DATA))
    .map(({ name, value }) => ({ name: name.slice(DATA.length), value }))
  return Object.fromEntries([...data, ...plain].map(({ name, value }) => [name, value]))
}
