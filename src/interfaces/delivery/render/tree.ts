import { type DefaultTreeAdapterTypes as Html, parseFragment } from 'parse5'

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** An element of rich text as JSON; a text has `text` and nothing else. */
export type TreeNode =
  | { readonly tag: '#text'; readonly text: string }
  | {
      readonly tag: string
      readonly attributes: Readonly<Record<string, Json>>
      readonly elements: readonly TreeNode[]
    }

/** What becomes of the attributes of a link. */
export type ToAttributes = (
  attributes: Readonly<Record<string, string>>,
) => Readonly<Record<string, Json>>

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
