/** Markup of rich text as HTML that is safe to put into a page, by the format stored with it. */
import { renderMarkdown } from './markup/markdown.ts'
import { escapeHtml, sanitise } from './markup/sanitise.ts'
import { BASIC, FULL, RESTRICTED } from './markup/vocabulary.ts'

/** Unknown formats are shown as plain text. */
export function renderMarkup(text: string, format: string): string {
  switch (format) {
    case 'full_html':
      return sanitise(text, FULL)
    case 'basic_html':
      return sanitise(text, BASIC)
    case 'restricted_html':
      return sanitise(text, RESTRICTED)
    case 'markdown':
      return sanitise(renderMarkdown(text), BASIC)
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
