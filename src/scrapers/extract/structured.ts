import { isObject } from '#kernel'
import { attributeOf, type Document, type Element, textOf, toUrl } from './dom.ts'
import { isList, type Json, type JsonObject, parseJson } from './values.ts'

const MAX_OBJECTS = 200
const MAX_DEPTH = 20

/** The objects of all JSON-LD blocks, graphs opened; `broken` counts blocks that are no JSON. */
export function readJsonLd(document: Document): { objects: JsonObject[]; broken: number } {
  const objects: JsonObject[] = []
  let broken = 0
  for (const script of document.querySelectorAll('script[type="application/ld+json"]')) {
    const parsed = parseJson(withoutComment(script.textContent ?? ''))
    if (parsed === undefined) broken++
    else collect(parsed, objects, 0)
  }
  return { objects: objects.slice(0, MAX_OBJECTS), broken }
}

/** Some publishers wrap the block as scripts once were. */
function withoutComment(text: string): string {
  return text.replace(/^\s*(?:<!--|\/\/<!\[CDATA\[)/, '').replace(/(?:-->|\/\/\]\]>)\s*$/, '')
}

function collect(value: Json, into: JsonObject[], depth: number): void {
  if (depth > MAX_DEPTH) return
  if (isList(value)) {
    for (const each of value) collect(each, into, depth + 1)
    return
  }
  if (!isObject(value)) return
  const graph = value['@graph']
  if (graph === undefined) into.push(value)
  else collect(graph, into, depth + 1)
}

/** `og:` properties by their names without the prefix; of repeated ones the first. */
export function readOpenGraph(document: Document): Map<string, string> {
  return readMetas(document, (name) =>
    name.startsWith('og:') ? name.slice(3) : name.startsWith('article:') ? name : null,
  )
}

/** Every other named meta, names in lower case. */
export function readMeta(document: Document): Map<string, string> {
  return readMetas(document, (name) => (name.startsWith('og:') ? null : name))
}

function readMetas(document: Document, nameOf: (name: string) => string | null) {
  const found = new Map<string, string>()
  for (const meta of document.querySelectorAll('meta[content]')) {
    const given =
      attributeOf(meta, 'property') ??
      attributeOf(meta, 'name') ??
      attributeOf(meta, 'itemprop') ??
      attributeOf(meta, 'http-equiv')
    const name = given === null ? null : nameOf(given.toLowerCase())
    const content = attributeOf(meta, 'content')
    if (name !== null && content !== null && !found.has(name)) found.set(name, content)
  }
  return found
}

/** Items of microdata as objects like those of JSON-LD. */
export function readMicrodata(document: Document, base: string): JsonObject[] {
  const top = [...document.querySelectorAll('[itemscope]')].filter(
    (element) => !element.hasAttribute('itemprop'),
  )
  return top.slice(0, MAX_OBJECTS).map((element) => toItem(element, base, 0))
}

function toItem(scope: Element, base: string, depth: number): JsonObject {
  const properties = new Map<string, Json[]>()
  const type = attributeOf(scope, 'itemtype')
  if (type !== null) properties.set('@type', [type.split('/').at(-1) ?? type])
  if (depth > MAX_DEPTH) return toObject(properties)
  for (const element of scope.querySelectorAll('[itemprop]')) {
    if (scopeOf(element) !== scope) continue
    const value = element.hasAttribute('itemscope')
      ? toItem(element, base, depth + 1)
      : microdataValue(element, base)
    for (const name of attributeOf(element, 'itemprop')?.split(/\s+/) ?? []) {
      const before = properties.get(name)
      if (before) before.push(value)
      else properties.set(name, [value])
    }
  }
  return toObject(properties)
}

/** A property that was given once is its value, any other a list. */
function toObject(properties: ReadonlyMap<string, Json[]>): JsonObject {
  return Object.fromEntries(
    [...properties].map(([name, values]) => [
      name,
      values.length > 1 ? values : (values[0] ?? null),
    ]),
  )
}

function scopeOf(element: Element): Element | null {
  let parent = element.parentElement
  while (parent && !parent.hasAttribute('itemscope')) parent = parent.parentElement
  return parent
}

const ADDRESSES = new Map([
  ['a', 'href'],
  ['area', 'href'],
  ['link', 'href'],
  ['img', 'src'],
  ['audio', 'src'],
  ['embed', 'src'],
  ['iframe', 'src'],
  ['source', 'src'],
  ['track', 'src'],
  ['video', 'src'],
  ['object', 'data'],
])

function microdataValue(element: Element, base: string): Json {
  const content = element.getAttribute('content')
  if (content !== null) return content
  const address = ADDRESSES.get(element.localName)
  if (address !== undefined) return toUrl(attributeOf(element, address), base)
  if (element.localName === 'time') return attributeOf(element, 'datetime') ?? textOf(element)
  if (element.localName === 'data' || element.localName === 'meter') {
    return attributeOf(element, 'value') ?? textOf(element)
  }
  return textOf(element)
}
