import { type ContentType, type Entry, listEntries } from '../../api/content.ts'

const PAGE = '100'

/** Everything the filters let through, page by page, in the order of the table. */
export async function exportEntries(
  type: ContentType,
  shown: URLSearchParams,
  format: 'csv' | 'ndjson',
  onProgress: (count: number) => void,
): Promise<Blob> {
  const entries: Entry[] = []
  const query = new URLSearchParams(shown)
  query.set('per_page', PAGE)
  for (let cursor: string | null = ''; cursor !== null; ) {
    query.set('cursor', cursor)
    const { data, meta }: Awaited<ReturnType<typeof listEntries>> = await listEntries(type, query)
    entries.push(...data)
    onProgress(entries.length)
    cursor = meta.next_cursor
  }
  const text =
    format === 'csv' ? toCsv(entries) : entries.map((each) => `${JSON.stringify(each)}\n`).join('')
  return new Blob([text], { type: format === 'csv' ? 'text/csv' : 'application/x-ndjson' })
}

/** RFC 4180, with all members that any entry has. */
function toCsv(entries: readonly Entry[]): string {
  const names = [...new Set(entries.flatMap(Object.keys))]
  const lines = entries.map((entry) => names.map((name) => toCell(entry[name])).join(','))
  return [names.map(toCell).join(','), ...lines].join('\r\n')
}

/** A spreadsheet would carry out what begins like a formula; an import takes the quote away again. */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const safe = typeof value === 'string' && /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
