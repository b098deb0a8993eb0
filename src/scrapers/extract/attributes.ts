/**
 * Finds attributes exactly where the parser does. Text that was taken for markup, or a value for longer
 * than it is, could hide any number of them.
 */

/** What has no attributes, or a tag up to where its attributes begin. */
const HTML_MARKUP =
  /<!--(?:-*>|.*?(?:-->|$))|<!\[CDATA\[.*?(?:\]\]>|$)|<[!?/][^>]*|<([A-Za-z][^ \t\n\f\r/>]*)/gs
const XML_MARKUP =
  /<!--(?:-*>|.*?(?:-->|$))|<!\[CDATA\[.*?(?:\]\]>|$)|<[!?/][^>]*|<([^ \t\n\f\r/>]+)/gs
const ATTRIBUTE =
  /[ \t\n\f\r/]*[^ \t\n\f\r/>][^ \t\n\f\r/>=]*(?:[ \t\n\f\r]*=[ \t\n\f\r]*(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^ \t\n\f\r>]*))?/y
/** A slash before the end makes any element an empty one. */
const EMPTY = /\/[ \t\n\f\r]*$/
/** Elements of a page whose inside is text, with their ends. */
const ENDS: ReadonlyMap<string, RegExp> = new Map(
  ['script', 'style', 'title', 'textarea', 'xmp'].map((name) => [
    name,
    new RegExp(`</${name}[ \\t\\n\\f\\r>]`, 'gi'),
  ]),
)

/** Where the tag begins with which a text has more than `most` attributes; -1: it has not. */
export function findTooManyAttributes(text: string, most: number, isXml: boolean): number {
  const markup = isXml ? XML_MARKUP : HTML_MARKUP
  let left = most
  let at = 0
  for (let found = next(markup); found; found = next(markup)) {
    const name = found[1]
    if (name === undefined) continue
    while (left >= 0 && next(ATTRIBUTE)) left--
    if (left < 0) return found.index
    if (!isXml) skipText(name)
  }
  return -1

  function next(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }

  function skipText(name: string): void {
    const end = ENDS.get(name.toLowerCase())
    const close = text.indexOf('>', at)
    if (!end || close === -1 || EMPTY.test(text.slice(at, close))) return
    at = close
    at = next(end)?.index ?? text.length
  }
}
