import { escapeHtml } from './sanitise.ts'

/**
 * The parts of CommonMark that editors use: headings, paragraphs, lists, quotes, code, rules,
 * emphasis, links and images. HTML inside stays as it is; whoever shows the answer sanitises it.
 */
export function renderMarkdown(text: string): string {
  return renderBlocks(text.replaceAll(/\r\n?/g, '\n').split('\n'), 0)
}

const DEEPEST = 20
const HEADING = /^ {0,3}(#{1,6})[ \t](.*)$/
const FENCE = /^ {0,3}(```+|~~~+)\s*([\w-]*)/
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/
const QUOTE = /^ {0,3}> ?(.*)$/
const ITEM = /^ {0,3}(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/

function renderBlocks(lines: readonly string[], depth: number): string {
  const out: string[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const taken = depth > DEEPEST ? undefined : blockAt(lines, at, depth)
    if (taken) {
      out.push(taken.html)
      at = taken.next
    } else if (line.trim() === '') at++
    else {
      const end = endOfParagraph(lines, at, depth)
      out.push(`<p>${renderInline(lines.slice(at, end).join('\n').trim())}</p>`)
      at = end
    }
  }
  return out.join('\n')
}

interface Taken {
  readonly html: string
  readonly next: number
}

function blockAt(lines: readonly string[], at: number, depth: number): Taken | undefined {
  const line = lines[at] ?? ''
  const heading = HEADING.exec(line)
  if (heading) {
    const level = heading[1]?.length ?? 1
    const text = withoutClosing((heading[2] ?? '').trim())
    return { html: `<h${level}>${renderInline(text)}</h${level}>`, next: at + 1 }
  }
  if (RULE.test(line)) return { html: '<hr>', next: at + 1 }
  if (FENCE.test(line)) return codeAt(lines, at)
  if (QUOTE.test(line)) return quoteAt(lines, at, depth)
  if (ITEM.test(line)) return listAt(lines, at, depth)
  return undefined
}

/** `## Title ##` */
function withoutClosing(text: string): string {
  let end = text.length
  while (text[end - 1] === '#') end--
  return end === 0 || text[end - 1] === ' ' ? text.slice(0, end).trimEnd() : text
}

function beginsBlock(line: string): boolean {
  return [HEADING, RULE, FENCE, QUOTE, ITEM].some((form) => form.test(line))
}

function codeAt(lines: readonly string[], at: number): Taken {
  const [, fence = '```', language = ''] = FENCE.exec(lines[at] ?? '') ?? []
  let end = at + 1
  while (end < lines.length && !(lines[end] ?? '').trim().startsWith(fence)) end++
  const code = escapeHtml(lines.slice(at + 1, end).join('\n'))
  const info = language === '' ? '' : ` class="language-${language}"`
  return { html: `<pre><code${info}>${code}\n</code></pre>`, next: end + 1 }
}

function quoteAt(lines: readonly string[], at: number, depth: number): Taken {
  let end = at
  const inner: string[] = []
  for (let found = QUOTE.exec(lines[end] ?? ''); found; found = QUOTE.exec(lines[end] ?? '')) {
    inner.push(found[1] ?? '')
    end++
    if (end >= lines.length) break
  }
  return { html: `<blockquote>\n${renderBlocks(inner, depth + 1)}\n</blockquote>`, next: end }
}

/** Lines that are indented belong to the item above them. */
function listAt(lines: readonly string[], at: number, depth: number): Taken {
  const isOrdered = ITEM.exec(lines[at] ?? '')?.[2] !== undefined
  const start = ITEM.exec(lines[at] ?? '')?.[2]
  const items: string[][] = []
  let end = at
  for (; end < lines.length; end++) {
    const line = lines[end] ?? ''
    const isInner = items.length > 0 && /^(?: {2,}|\t)/.test(line)
    const found = isInner ? null : ITEM.exec(line)
    if (found && (found[2] !== undefined) === isOrdered && !RULE.test(line)) {
      items.push([found[3] ?? ''])
    } else if (isInner) items.at(-1)?.push(line.replace(/^(?: {2,4}|\t)/, ''))
    else break
  }
  const shown = items.map((item) => `<li>${renderItem(item, depth)}</li>`).join('\n')
  const tag = isOrdered ? 'ol' : 'ul'
  const from = start === undefined || Number(start) === 1 ? '' : ` start="${Number(start)}"`
  return { html: `<${tag}${from}>\n${shown}\n</${tag}>`, next: end }
}

function renderItem([first = '', ...rest]: readonly string[], depth: number): string {
  if (rest.length === 0) return renderInline(first)
  return `${renderInline(first)}\n${renderBlocks(rest, depth + 1)}`
}

function endOfParagraph(lines: readonly string[], at: number, depth: number): number {
  let end = at + 1
  while (end < lines.length && (lines[end] ?? '').trim() !== '') {
    if (depth <= DEEPEST && beginsBlock(lines[end] ?? '')) break
    end++
  }
  return end
}

const IMAGE = /!\[([^[\]\n]{0,500})\]\(([^\s()]{1,2000})(?: "([^"\n]{0,500})")?\)/g
const LINK = /\[([^[\]\n]{1,500})\]\(([^\s()]{1,2000})(?: "([^"\n]{0,500})")?\)/g
const AUTOMATIC = /<((?:https?|mailto):[^\s<>]{1,2000})>/g

/** Code is taken out first: nothing in it means anything. */
function renderInline(text: string): string {
  let out = ''
  let from = 0
  for (const { start, end, ticks } of codeIn(text)) {
    const code = escapeHtml(text.slice(start + ticks, end - ticks).trim())
    out += `${renderSpans(text.slice(from, start))}<code>${code}</code>`
    from = end
  }
  return out + renderSpans(text.slice(from))
}

/** From a run of backticks to the next one of the same length. */
function* codeIn(text: string): Generator<{ start: number; end: number; ticks: number }> {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({
    at: index,
    length: run.length,
  }))
  const hopeless = new Set<number>()
  for (let first = 0; first < runs.length; first++) {
    const run = runs[first]
    if (!run || hopeless.has(run.length)) continue
    const last = runs.findIndex((other, at) => at > first && other.length === run.length)
    const closing = runs[last]
    if (closing) {
      yield { start: run.at, end: closing.at + closing.length, ticks: run.length }
      first = last
    } else hopeless.add(run.length)
  }
}

function renderSpans(text: string): string {
  return text
    .replaceAll(AUTOMATIC, '<a href="$1">$1</a>')
    .replaceAll(IMAGE, (_, alt, src, title) => `<img src="${src}" alt="${alt}"${titled(title)}>`)
    .replaceAll(LINK, (_, label, href, title) => `<a href="${href}"${titled(title)}>${label}</a>`)
    .replaceAll(/\*\*(?=\S)([^*]+?)\*\*|__(?=\S)([^_]+?)__/g, '<strong>$1$2</strong>')
    .replaceAll(/\*(?=\S)([^*]+?)\*|(?<!\w)_(?=\S)([^_]+?)_(?!\w)/g, '<em>$1$2</em>')
    .replaceAll(/ {2}\n|\\\n/g, '<br>\n')
}

function titled(title: string | undefined): string {
  return title === undefined ? '' : ` title="${title}"`
}
