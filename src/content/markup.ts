/** Markup of rich text as HTML that is safe to put into a page, by the format stored with it. */
import { renderMarkdown } from './markup/markdown.ts'
import { escapeHtml, sanitise } from './markup/sanitise.ts'
import { BASIC, FULL, MARKDOWN, RESTRICTED } from './markup/vocabulary.ts'

interface MarkupOptions {
  /** `data-` attributes stay, where they are as harmless as what they may be read as. */
  readonly keepsData?: boolean
}

/** Unknown formats are shown as plain text. */
export function renderMarkup(
  text: string,
  format: string,
  { keepsData = false }: MarkupOptions = {},
): string {
  switch (format) {
    case 'full_html':
      return sanitise(text, FULL, keepsData)
    case 'basic_html':
      return sanitise(text, BASIC, keepsData)
    case 'restricted_html':
      return sanitise(text, RESTRICTED, keepsData)
    case 'markdown':
      return sanitise(renderMarkdown(text), MARKDOWN)
    default:
      return renderPlain(text)
  }
}

/** Empty lines part paragraphs, others are line breaks. */
function renderPlain(text: string): string {
  return text
    .split(/\r?\n\s*\r?\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll(/\r?\n/g, '<br>\n')}</p>`)
    .join('\n')
}
