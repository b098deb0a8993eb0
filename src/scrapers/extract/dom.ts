import { DOMParser, parseHTML } from 'linkedom'

interface TextNode {
  readonly nodeType: number
  readonly textContent: string | null
}

export type Node = Element | TextNode

const ELEMENT_NODE = 1
const TEXT_NODE = 3
const CDATA_NODE = 4

/** What we use of an element. The library's own types need those of a browser. */
export interface Element {
  readonly localName: string
  readonly tagName: string
  readonly textContent: string | null
  readonly innerHTML: string
  readonly outerHTML: string
  readonly children: Iterable<Element>
  readonly childNodes: Iterable<Node>
  readonly nodeType: number
  readonly parentElement: Element | null
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

export function parseHtml(text: string): Document {
  // Without its root elements the library makes no document that could be asked for them.
  const whole = /<html[\s>]/i.test(text) ? text : `<!doctype html><html><body>${text}</body></html>`
  const window: { readonly document: Document } = Object(parseHTML(whole))
  return window.document
}

export type XmlDocument = Pick<Element, 'querySelector' | 'querySelectorAll'> &
  Pick<Document, 'documentElement'>

export function parseXml(text: string): XmlDocument {
  return new DOMParser().parseFromString(text, 'text/xml')
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
