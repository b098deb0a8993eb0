export type CsvValue = string | number | boolean | null

const NEEDS_QUOTES = /[",\r\n]/
const IS_FORMULA = /^[=+\-@\t\r]/
const IS_NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

/**
 * One line of RFC 4180 with its CRLF. `safe` keeps spreadsheets from taking text for a formula:
 * request ids, for one, are whatever a caller sent.
 */
export function csvLine(values: readonly CsvValue[], safe: boolean): string {
  return `${values.map((value) => cell(value, safe)).join(',')}\r\n`
}

function cell(value: CsvValue, safe: boolean): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const text = safe && IS_FORMULA.test(value) && !IS_NUMBER.test(value) ? `'${value}` : value
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
