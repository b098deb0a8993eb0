/** Rich text as a list of nodes, as the API takes it (`format: blocks`). */
export interface BlockNode {
  readonly type: string
  readonly children?: readonly BlockNode[]
  readonly text?: string
  readonly level?: number
  readonly format?: string
  readonly language?: string
  readonly url?: string
  readonly [member: string]: unknown
}

const MARKS: Readonly<Record<string, string>> = {
  B: 'bold',
  STRONG: 'bold',
  I: 'italic',
  EM: 'italic',
  U: 'underline',
  S: 'strikethrough',
  DEL: 'strikethrough',
  STRIKE: 'strikethrough',
  CODE: 'code',
}
const TAGS = [
  ['code', 'code'],
  ['strikethrough', 's'],
  ['underline', 'u'],
  ['italic', 'em'],
  ['bold', 'strong'],
] as const

/** What the editor of markup shows for the nodes. */
export function toMarkup(nodes: readonly BlockNode[]): string {
  return nodes.map(blockToMarkup).join('')
}

function blockToMarkup(node: BlockNode): string {
  const inside = () => (node.children ?? []).map(inlineToMarkup).join('')
  switch (node.type) {
    case 'heading':
      return `<h${node.level}>${inside()}</h${node.level}>`
    case 'quote':
      return `<blockquote><p>${inside()}</p></blockquote>`
    case 'code':
      return `<pre><code${languageOf(node)}>${escapeText(textIn(node))}</code></pre>`
    case 'list':
      return listToMarkup(node)
    default:
      return `<p>${inside()}</p>`
  }
}

/** A list in a list stands inside of the item before it. */
function listToMarkup({ format, children = [] }: BlockNode): string {
  const tag = format === 'ordered' ? 'ol' : 'ul'
  let items = ''
  for (const [index, child] of children.entries()) {
    const isLast = children[index + 1]?.type !== 'list'
    if (child.type === 'list') items += `${listToMarkup(child)}${isLast ? '</li>' : ''}`
    else {
      const inside = (child.children ?? []).map(inlineToMarkup).join('')
      items += `<li><p>${inside}</p>${isLast ? '</li>' : ''}`
    }
  }
  return `<${tag}>${items}</${tag}>`
}

function inlineToMarkup(node: BlockNode): string {
  if (node.type === 'link') {
    const inside = (node.children ?? []).map(inlineToMarkup).join('')
    return `<a href="${escapeText(node.url ?? '')}">${inside}</a>`
  }
  const text = escapeText(node.text ?? '').replaceAll('\n', '<br>')
  return TAGS.reduce((inner, [mark, tag]) => {
    return node[mark] === true ? `<${tag}>${inner}</${tag}>` : inner
  }, text)
}

/** The nodes of what somebody wrote. Read without running it. */
export function toBlocks(html: string): BlockNode[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return [...body.children].map(elementToBlock)
}

function elementToBlock(element: Element): BlockNode {
  const { tagName } = element
  const level = /^H([1-6])$/.exec(tagName)?.[1]
  if (level !== undefined)
    return { type: 'heading', level: Number(level), children: inlineOf(element) }
  if (tagName === 'BLOCKQUOTE') return { type: 'quote', children: inlineOf(element) }
  if (tagName === 'UL' || tagName === 'OL') return elementToList(element)
  if (tagName !== 'PRE') return { type: 'paragraph', children: inlineOf(element) }
  const language = /language-(\S+)/.exec(element.querySelector('code')?.className ?? '')?.[1]
  const children = [{ type: 'text', text: element.textContent ?? '' }]
  return { type: 'code', ...(language === undefined ? {} : { language }), children }
}

function elementToList(element: Element): BlockNode {
  const children = [...element.children].flatMap((item) => {
    const lists = [...item.children].filter(({ tagName }) => /^[UO]L$/.test(tagName))
    const own = [...item.childNodes].filter((child) => !lists.includes(child as Element))
    return [{ type: 'list-item', children: merged(inlineIn(own)) }, ...lists.map(elementToList)]
  })
  return { type: 'list', format: element.tagName === 'OL' ? 'ordered' : 'unordered', children }
}

function inlineOf(element: Element): BlockNode[] {
  return merged(inlineIn([...element.childNodes]))
}

/** Paragraphs inside of a block become its lines. */
function inlineIn(nodes: readonly Node[], marks: Readonly<Record<string, true>> = {}): BlockNode[] {
  return nodes.flatMap((node, index): BlockNode[] => {
    if (!(node instanceof Element))
      return [{ type: 'text', text: node.textContent ?? '', ...marks }]
    if (node.tagName === 'BR') return [{ type: 'text', text: '\n', ...marks }]
    const mark = MARKS[node.tagName]
    const inside = inlineIn([...node.childNodes], mark ? { ...marks, [mark]: true } : marks)
    if (node.tagName === 'A') {
      return [{ type: 'link', url: node.getAttribute('href') ?? '', children: merged(inside) }]
    }
    const isLine = node.tagName === 'P' && index > 0
    return isLine ? [{ type: 'text', text: '\n' }, ...inside] : inside
  })
}

/** Texts beside each other that look alike are one; a block without text has an empty one. */
function merged(nodes: readonly BlockNode[]): BlockNode[] {
  const joined: BlockNode[] = []
  for (const node of nodes) {
    const last = joined.at(-1)
    if (node.type === 'text' && last?.type === 'text' && marksOf(node) === marksOf(last)) {
      joined[joined.length - 1] = { ...last, text: `${last.text}${node.text}` }
    } else joined.push(node)
  }
  const told = joined.filter(({ type, text }) => type !== 'text' || text !== '')
  return told.length > 0 ? told : [{ type: 'text', text: '' }]
}

function marksOf({ text: _text, ...marks }: BlockNode): string {
  return JSON.stringify(marks)
}

/** Whether the editor of markup keeps all of it: what it does not know it would drop. */
export function isWhollyShown(nodes: readonly BlockNode[]): boolean {
  try {
    return canonical(toBlocks(toMarkup(nodes))) === canonical(nodes)
  } catch {
    return false
  }
}

/** Members in one order, and without marks that are not set. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    const members = Object.entries(member).filter(([, each]) => each !== false && each !== null)
    return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

function languageOf({ language }: BlockNode): string {
  return language ? ` class="language-${escapeText(language)}"` : ''
}

function textIn({ text = '', children = [] }: BlockNode): string {
  return text + children.map(textIn).join('')
}

function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
