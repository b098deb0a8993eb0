const KNOWN = new Set(
  'P BR B STRONG I EM U S STRIKE DEL CODE PRE H1 H2 H3 H4 H5 H6 UL OL LI BLOCKQUOTE HR A'.split(
    ' ',
  ),
)
const ATTRIBUTES = new Set(['href', 'target', 'rel', 'start', 'class'])

/** Whether the editor shows all of it: what it does not know it would drop. Read without running it. */
export function isFullyEditable(html: string): boolean {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return [...body.querySelectorAll('*')].every(
    ({ tagName, attributes }) =>
      KNOWN.has(tagName) && [...attributes].every(({ name }) => ATTRIBUTES.has(name)),
  )
}
