/** One element of `Accept` or `Content-Type`; names are in lower case. */
interface MediaRange {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

/** The type and parameters of each element; quotes may hold commas and semicolons. */
export function parseMediaRanges(header: string): MediaRange[] {
  return splitOutside(header, ',')
    .map((element) => splitOutside(element, ';').map((part) => part.trim()))
    .filter(([type]) => type !== undefined && type !== '')
    .map(([type = '', ...parameters]) => ({
      type: type.toLowerCase(),
      parameters: new Map(parameters.filter((part) => part !== '').map(toParameter)),
    }))
}

function toParameter(text: string): [string, string] {
  const end = text.indexOf('=')
  if (end === -1) return [text.toLowerCase(), '']
  const value = text.slice(end + 1).trim()
  const bare = /^"(.*)"$/.exec(value)?.[1] ?? value
  return [text.slice(0, end).trim().toLowerCase(), bare]
}

function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = []
  let isQuoted = false
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted
    if (isQuoted || text[at] !== separator) continue
    parts.push(text.slice(from, at))
    from = at + 1
  }
  return [...parts, text.slice(from)]
}
