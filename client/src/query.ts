/** Options of a read as the server's parameters: `filters[title][$containsi]=crane`, `include=author,cover`. */
export function toQuery({ signal: _signal, ...options }: Readonly<Record<string, unknown>>) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (name === 'filters') addNested(query, name, value)
    else query.set(name, Array.isArray(value) ? value.join(',') : String(value))
  }
  return query
}

function addNested(query: URLSearchParams, path: string, value: unknown): void {
  if (value === undefined) return
  if (value === null) query.append(`${path}[$null]`, 'true')
  else if (value instanceof Date) query.append(path, value.toISOString())
  else if (typeof value !== 'object') query.append(path, String(value))
  else if (Array.isArray(value) && value.length === 0) addNever(query, path)
  // Lists too: their members are named by their place.
  else for (const [at, member] of Object.entries(value)) addNested(query, `${path}[${at}]`, member)
}

/** Nothing is one of no values. A query string has no empty list, so this is asked by a contradiction. */
function addNever(query: URLSearchParams, path: string): void {
  if (/\[\$(notIni?|and|or)\]$/.test(path)) return
  const member = path.replace(/\[\$ini?\]$/, '')
  for (const operator of ['$null', '$notNull']) query.append(`${member}[${operator}]`, 'true')
}
