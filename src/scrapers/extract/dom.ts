import { DOMParser, parseHTML } from 'linkedom'
import { CUT, readablePart, XML } from './readable.ts'

interface TextNode {
  readonly nodeType: number
  readonly textContent: string | null
}

export type Node = Element | TextNode

const ELEMENT_NODE = 1
const TEXT_NODE = 3
const CDATA_NODE = 4
/** No browser nests deeper. A look around from every element would take the square of their depth. */
export const MAX_DEPTH = 512

export const BROKEN_OFF = 'The document breaks off before its end; what had come was read'

/** What we use of an element. The library's own types need those of a browser. */
export interface Element {
  readonly localName: string
  readonly tagName: string
  textContent: string | null
  readonly innerHTML: string
  readonly outerHTML: string
  readonly children: Iterable<Element>
  readonly childNodes: Iterable<Node>
  readonly attributes: { readonly length: number }
  readonly nodeType: number
  readonly parentElement: Element | null
  readonly firstElementChild: Element | null
  readonly nextElementSibling: Element | null
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
  querySelector(selector: string): Element | null
  querySelectorAll(selector: string): Iterable<Element>
  remove(): void
}

export interface Document extends Element {
  readonly documentElement: Element | null
  readonly body: Element | null
  readonly title: string
}

export function isElement(node: Node): node is Element {
  return node.nodeType === ELEMENT_NODE
}

/** Comments are neither. */
export function isText({ nodeType }: Node): boolean {
  return nodeType === TEXT_NODE || nodeType === CDATA_NODE
}

/** Of a text that can be read as a whole. */
export function parseHtml(text: string): Document {
  // Without its root elements the library makes no document that could be asked for them.
  const whole = /<html[\s>]/i.test(text) ? text : `<!doctype html><html><body>${text}</body></html>`
  const window: { readonly document: Document } = Object(parseHTML(whole))
  return window.document
}

export type XmlDocument = Pick<Element, 'querySelector' | 'querySelectorAll'> &
  Pick<Document, 'documentElement'>

interface ReadXml {
  readonly document: XmlDocument
  /** What the log should say of it. */
  readonly notes: readonly string[]
}

export function parseXml(text: string): ReadXml {
  const part = readablePart(text, XML)
  const document: XmlDocument = new DOMParser().parseFromString(part, 'text/xml')
  limitDepth(document)
  if (part !== text) return { document, notes: [CUT] }
  const { documentElement: root } = document
  const isWhole = !root?.firstElementChild || text.includes(`</${root.tagName}`)
  return { document, notes: isWhole ? [] : [BROKEN_OFF] }
}

/** What nests too deep is text from then on. */
export function limitDepth({ documentElement: root }: Pick<Document, 'documentElement'>): void {
  let depth = 1
  for (let element = root; element !== null; ) {
    if (depth >= MAX_DEPTH && element.firstElementChild) {
      const { textContent } = element
      element.textContent = textContent
    }
    const child = element.firstElementChild
    if (child) depth++
    element = child ?? following(element)
  }

  function following(from: Element): Element | null {
    let next = from
    while (next !== root && !next.nextElementSibling && next.parentElement) {
      next = next.parentElement
      depth--
    }
    return next === root ? null : next.nextElementSibling
  }
}

/** The text people see, with single spaces; null when there is none. */
export function textOf(element: Element | null | undefined): string | null {
  return collapse(element?.textContent ?? '') || null
}

export function collapse(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim()
}

export function attributeOf(element: Element | null | undefined, name: string): string | null {
  return element?.getAttribute(name)?.trim() || null
}

/** The address a text stands for, null when it is none. */
export function toUrl(text: string | null, base: string): string | null {
  if (text === null || text === '') return null
  const url = URL.parse(text, base)
  return url && /^https?:$/.test(url.protocol) ? url.href : null
}

/** Where relative addresses of a document begin. */
export function baseOf(document: Document, url: string): string {
  return toUrl(attributeOf(document.querySelector('base[href]'), 'href'), url) ?? url
}
