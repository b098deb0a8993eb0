/** One line of a file with what it says, or why it cannot be read. */
export interface ReadRow {
  readonly line: number
  readonly values?: Readonly<Record<string, unknown>>
  readonly fault?: string
}

/** CSV with a head, NDJSON, or a JSON list; told apart by how the text begins. */
export function readRows(text: string): ReadRow[] {
  const start = text.trimStart()[0]
  if (start === '[') return readList(text)
  return start === '{' ? readLines(text) : readCsv(text)
}

function readList(text: string): ReadRow[] {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.map((each, index) => toRow(index + 1, each)) : []
  } catch (error) {
    return [
      { line: 1, fault: `This is not JSON: ${error instanceof Error ? error.message : error}` },
    ]
  }
}

function readLines(text: string): ReadRow[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    try {
      return [toRow(index + 1, JSON.parse(line))]
    } catch {
      return [{ line: index + 1, fault: 'This line is not JSON' }]
    }
  })
}

function toRow(line: number, value: unknown): ReadRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, fault: 'This is not an object' }
  }
  return { line, values: Object.fromEntries(Object.entries(value)) }
}

/** Empty cells are left out: the attribute's default holds. */
function readCsv(text: string): ReadRow[] {
  const [head, ...rows] = splitCsv(text).slice(SAID.test(firstLine(text)) ? 1 : 0)
  const names = head?.cells ?? []
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at)
  if (twice !== undefined) {
    return [{ line: head?.line ?? 1, fault: `The column "${twice}" is named twice` }]
  }
  return rows.map(({ line, cells }) => {
    const fault = faultOf(names, cells)
    if (fault) return { line, fault }
    const given = cells.flatMap((cell, at) => (cell ? [[names[at], withoutGuard(cell)]] : []))
    return { line, values: Object.fromEntries(given) }
  })
}

/** What a missing or further separator has moved would be stored under other names, or not at all. */
function faultOf(names: readonly string[], cells: readonly string[]): string | undefined {
  if (cells.length !== names.length) {
    return `This row has another count of cells (${cells.length}) than the first line (${names.length})`
  }
  const nameless = cells.findIndex((cell, at) => cell !== '' && names[at] === '')
  return nameless < 0 ? undefined : `Cell ${nameless + 1} has no name in the first line`
}

/** What an export puts before a text that a spreadsheet would carry out. */
function withoutGuard(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell
}

interface CsvRow {
  readonly line: number
  readonly cells: readonly string[]
}

const SEPARATORS = [',', ';', '\t']
/** Spreadsheets write such a line for each other. */
const SAID = /^sep=([,;\t])$/

/** By what a country leaves free: the first line says it, or has most of it outside of quotes. */
function separatorOf(text: string): string {
  const head = firstLine(text)
  const names = head.replace(/"[^"]*"/g, '')
  const count = (separator: string) => names.split(separator).length
  const [most = ','] = SEPARATORS.toSorted((a, b) => count(b) - count(a))
  return SAID.exec(head)?.[1] ?? most
}

function firstLine(text: string): string {
  return text.split(/[\r\n]/, 1)[0] ?? ''
}

/** RFC 4180: quotes hold separators, line ends and doubled quotes. One that closes nothing is a character like others. */
function splitCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = []
  let cells: string[] = []
  let line = 1
  let begun = 1
  const by = separatorOf(text)
  const pattern = new RegExp(
    `(?:"((?:[^"]|"")*)"(?=[${by}\\r\\n]|$)|([^${by}\\r\\n]*))(${by}|\\r\\n?|\\n|$)`,
    'gy',
  )
  for (const [whole, quoted, plain, end] of text.matchAll(pattern)) {
    if (whole === '' && cells.length === 0) break
    cells.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'))
    line += whole.split(/\r\n?|\n/).length - 1
    if (end === by) continue
    if (cells.some((cell) => cell !== '')) rows.push({ line: begun, cells })
    cells = []
    begun = line
    if (end === '') break
  }
  return rows
}
