import { sql } from '../fragment.ts'
import {
  type Column,
  columnAt,
  parseKilobytes,
  parseMoment,
  textColumn,
  wholeColumn,
} from './column.ts'

function text(name: string, more: Partial<Column> = {}): Column {
  return textColumn(name, { indexed: false, ...more })
}

function whole(name: string, more: Partial<Column> = {}): Column {
  return wholeColumn(name, { indexed: false, ...more })
}

/** For columns that hold ASCII only, where both databases agree on lower case. */
function ascii(name: string): Column {
  return text(name, { fold: (alias) => sql`lower(${sql.ref(`${alias}.${name}`)})` })
}

function folded(name: string, nullable: boolean): Column {
  return text(name, { nullable, fold: columnAt(`${name}_fold`) })
}

/** Media files as filters and sorts see them. */
export const FILE_COLUMNS: ReadonlyMap<string, Column> = new Map<string, Column>([
  ['id', whole('id', { indexed: true })],
  ['documentId', text('uuid', { indexed: true })],
  ['uuid', text('uuid', { indexed: true })],
  ['folder', text('folder')],
  ['name', folded('name', false)],
  ['hash', text('hash', { indexed: true })],
  ['ext', ascii('ext')],
  ['mime', ascii('mime')],
  ['alternativeText', folded('alternative_text', true)],
  ['caption', folded('caption', true)],
  ['width', whole('width', { nullable: true })],
  ['height', whole('height', { nullable: true })],
  ['size', whole('size_bytes', { sql: hundredths, parse: parseKilobytes })],
  // What dialects need besides: in bytes, which `size` rounds.
  ['@sizeBytes', whole('size_bytes')],
  ['url', text('url', { sql: url })],
  ['previewUrl', text('preview_url', { nullable: true })],
  ['provider', ascii('provider')],
  ['createdAt', whole('created_at', { parse: parseMoment })],
  ['updatedAt', whole('updated_at', { parse: parseMoment })],
])

function hundredths(alias: string) {
  return sql`((${sql.ref(`${alias}.size_bytes`)} + 5) / 10)`
}

function url(alias: string) {
  return sql`('/uploads/' || ${sql.ref(`${alias}.hash`)} || ${sql.ref(`${alias}.ext`)})`
}
