import { type Document, type Element, textOf } from './dom.ts'
import type { Json } from './values.ts'

const MAX_TABLES = 50
const MAX_ROWS = 1_000
const MAX_CELLS = 100

/** Tables that hold data: `{caption, headers, rows}`; those that lay out a page have no headers. */
export function readTables(document: Document): Json[] {
  // In this order a table inside others is searched once and not by each of them.
  const tables = [...document.querySelectorAll('table')].filter(
    (table) => table.querySelector('table') === null && table.querySelector('th') !== null,
  )
  return tables.slice(0, MAX_TABLES).map(toTable)
}

function toTable(table: Element): Json {
  const rows = [...table.querySelectorAll('tr')].slice(0, MAX_ROWS)
  const first = rows[0]
  const hasHead = first !== undefined && first.querySelector('td') === null
  return {
    caption: textOf(table.querySelector('caption')),
    headers: hasHead ? cellsOf(first) : [],
    rows: rows.slice(hasHead ? 1 : 0).map(cellsOf),
  }
}

function cellsOf(row: Element): Json[] {
  return [...row.querySelectorAll('td, th')].slice(0, MAX_CELLS).map((cell) => textOf(cell) ?? '')
}
