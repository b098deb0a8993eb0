import { type Column, columnAt, textColumn } from './column.ts'
import { parseFinite } from './parse-value.ts'

/** Before the key of a field of a module, where dialects ask for its values. */
export const INDEXED = '@index:'

/** What index modules said of an entry, as filters and sorts see it: a field has values in one of these. */
export const INDEXED_COLUMNS: ReadonlyMap<string, Column> = new Map<string, Column>([
  ['text', textColumn('text', { nullable: true, fold: columnAt('fold') })],
  [
    'number',
    textColumn('number', { nullable: true, kind: 'double', textual: false, parse: parseFinite }),
  ],
  ['words', textColumn('words', { nullable: true, indexed: false, fold: columnAt('words') })],
])
