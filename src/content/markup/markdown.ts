import MarkdownIt from 'markdown-it'

/** Of lists in lists and quotes in quotes; what is deeper is left out, and cannot cost much time. */
const DEEPEST = 40

const parser = new MarkdownIt({ html: true, maxNesting: DEEPEST })
// Which addresses are safe is decided in one place, the sanitiser.
parser.validateLink = () => true

/**
 * CommonMark with tables and strikethrough. HTML inside stays as it is; whoever shows the answer
 * sanitises it.
 */
export function renderMarkdown(text: string): string {
  return parser.render(text).trimEnd()
}
