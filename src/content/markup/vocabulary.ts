/** Which elements a format may have, and with which attributes. */
export type Vocabulary = ReadonlyMap<string, readonly string[]>

const INLINE = {
  a: ['href', 'hreflang', 'title', 'rel', 'target'],
  em: [],
  strong: [],
  i: [],
  b: [],
  u: [],
  s: [],
  sub: [],
  sup: [],
  cite: [],
  code: ['class'],
  abbr: ['title'],
  br: [],
  span: ['lang', 'dir'],
  q: ['cite'],
  kbd: [],
  mark: [],
  small: [],
  del: [],
  ins: [],
  time: ['datetime'],
} as const

const BLOCKS = {
  p: ['class'],
  blockquote: ['cite'],
  ul: ['type'],
  ol: ['type', 'start', 'reversed'],
  li: ['value'],
  dl: [],
  dt: [],
  dd: [],
  h2: ['id'],
  h3: ['id'],
  h4: ['id'],
  h5: ['id'],
  h6: ['id'],
  pre: ['class'],
  hr: [],
} as const

const PICTURES = {
  img: ['src', 'alt', 'title', 'width', 'height', 'loading', 'srcset', 'sizes'],
  figure: ['class'],
  figcaption: [],
} as const

const TABLES = {
  table: ['class'],
  caption: [],
  thead: [],
  tbody: [],
  tfoot: [],
  tr: [],
  th: ['scope', 'colspan', 'rowspan'],
  td: ['colspan', 'rowspan'],
  colgroup: [],
  col: ['span'],
} as const

const RICH = {
  h1: ['id'],
  div: ['class', 'id', 'lang', 'dir'],
  section: ['class', 'id'],
  article: ['class', 'id'],
  header: ['class'],
  footer: ['class'],
  aside: ['class'],
  nav: ['class'],
  details: ['open'],
  summary: [],
  video: ['src', 'controls', 'width', 'height', 'poster', 'preload', 'loop', 'muted'],
  audio: ['src', 'controls', 'preload', 'loop', 'muted'],
  source: ['src', 'type', 'media', 'srcset', 'sizes'],
  picture: [],
  wbr: [],
  var: [],
  samp: [],
  dfn: [],
  bdi: [],
  bdo: ['dir'],
} as const

export const RESTRICTED = toVocabulary({ ...INLINE, ...BLOCKS })
export const BASIC = toVocabulary({ ...INLINE, ...BLOCKS, ...PICTURES })
export const MARKDOWN = toVocabulary({ ...INLINE, ...BLOCKS, ...PICTURES, ...TABLES })
export const FULL = toVocabulary({ ...INLINE, ...BLOCKS, ...PICTURES, ...TABLES, ...RICH })

function toVocabulary(elements: Readonly<Record<string, readonly string[]>>): Vocabulary {
  return new Map(Object.entries(elements))
}
