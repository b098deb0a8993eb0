import type { JsonObject, JsonValue } from '../json.ts'
import { escapeHtml, sanitise } from '../markup/sanitise.ts'
import { FULL } from '../markup/vocabulary.ts'
import { nodesIn } from './check.ts'

/** Rich text in the form of nodes as HTML that is safe to put into a page. */
export function renderBlocks(value: JsonValue): string {
  const html = nodesIn(value).map(renderNode).join('\n')
  // Which addresses are safe is decided in one place, the sanitiser.
  return sanitise(html, FULL)
}

const PLAIN: ReadonlyMap<unknown, string> = new Map([
  ['paragraph', 'p'],
  ['quote', 'blockquote'],
  ['list-item', 'li'],
])

function renderNode(node: JsonObject): string {
  const { type } = node
  const inside = nodesIn(node['children'])
  const tag = PLAIN.get(type)
  if (tag !== undefined) return `<${tag}>${renderInline(inside)}</${tag}>`
  switch (type) {
    case 'heading':
      return `<h${node['level']}>${renderInline(inside)}</h${node['level']}>`
    case 'list': {
      const list = node['format'] === 'ordered' ? 'ol' : 'ul'
      return `<${list}>${inside.map(renderItem).join('')}</${list}>`
    }
    case 'code':
      return `<pre><code${languageOf(node)}>${inside.map(codeText).join('')}</code></pre>`
    case 'image':
      return renderImage(node['image'])
    default:
      return ''
  }
}

/** A list in a list is an item of it. */
function renderItem(node: JsonObject): string {
  return node['type'] === 'list' ? `<li>${renderNode(node)}</li>` : renderNode(node)
}

function renderInline(nodes: readonly JsonObject[]): string {
  return nodes
    .map((node) => (node['type'] === 'link' ? renderLink(node) : renderText(node)))
    .join('')
}

function renderLink(node: JsonObject): string {
  const attributes = ['rel', 'target'].map((name) => attribute(name, node[name])).join('')
  const inside = renderInline(nodesIn(node['children']))
  return `<a${attribute('href', node['url'])}${attributes}>${inside}</a>`
}

/** The marks from the innermost on. */
const MARKS = [
  ['code', 'code'],
  ['strikethrough', 's'],
  ['underline', 'u'],
  ['italic', 'em'],
  ['bold', 'strong'],
] as const

function renderText(node: JsonObject): string {
  const text = escapeHtml(String(node['text'] ?? '')).replaceAll(/\r?\n/g, '<br>')
  if (text === '') return ''
  return MARKS.reduce(
    (html, [mark, tag]) => (node[mark] === true ? `<${tag}>${html}</${tag}>` : html),
    text,
  )
}

function codeText(node: JsonObject): string {
  if (node['type'] === 'link') return nodesIn(node['children']).map(codeText).join('')
  return escapeHtml(String(node['text'] ?? ''))
}

function languageOf({ language }: JsonObject): string {
  return typeof language === 'string' && language !== ''
    ? attribute('class', `language-${language}`)
    : ''
}

function renderImage(image: JsonValue | undefined): string {
  const facts = new Map(Object.entries(image ?? {}))
  const size = ['width', 'height'].map((name) => attribute(name, facts.get(name))).join('')
  const alt = attribute('alt', facts.get('alternativeText') ?? '')
  const picture = `<img${attribute('src', facts.get('url'))}${alt}${size}>`
  const caption = facts.get('caption')
  if (typeof caption !== 'string' || caption === '') return picture
  return `<figure>${picture}<figcaption>${escapeHtml(caption)}</figcaption></figure>`
}

function attribute(name: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return ''
  return ` ${name}="${escapeHtml(String(value)).replaceAll('"', '&quot;')}"`
}
