import type { Cell, Cells } from '#db'
import type { Clock, Ids } from '#kernel'
import { slugOf } from '../../../src/content/entries/slug.ts'
import { columnsOf } from '../../../src/content/entries/store/rows.ts'
import { columnOf } from '../../../src/content/fields/kind.ts'
import type { JsonValue } from '../../../src/content/json.ts'
import { type ContentType, isScalar } from '../../../src/content/model.ts'
import { columnIndexOf } from '../../../src/content/query/load/entry-row.ts'
import type { BatchBody } from '../../../src/content/types/schemas.ts'
import {
  type Later,
  type Numbers,
  type Parts,
  type Statement,
  statement,
  type Value,
  type WritePlan,
} from './plan.ts'

/** The type that plans are shown with: a title, a slug made from it, a number. */
export const BATCH: BatchBody = {
  contentTypes: [
    {
      singularName: 'page',
      pluralName: 'pages',
      attributes: {
        title: { type: 'string' },
        slug: { type: 'uid', targetField: 'title' },
        count: { type: 'integer' },
      },
    },
  ],
}

/** Every entry is counted once, by an increment: what is done twice would show. */
export const COUNTER = [
  'create table unit_counter (name text primary key, value bigint)',
  "insert into unit_counter values ('pages', 0)",
]
const COUNT = statement(
  'count_pages',
  "update unit_counter set value = value + $1 where name = 'pages' returning value",
)
const VERSION = statement(
  'version',
  'select version from content_entries where type_no = $1 and id = $2',
  'select version from content_entries where type_no = $1 and id = $2 for update',
)
const RAISE = statement(
  'raise',
  'update content_entries set version = version + 1, updated_at = $1 where type_no = $2 and id = $3',
)
const LAST_ENTRY =
  "(select coalesce(max(seq), 0) from sqlite_sequence where name = 'content_entries')"
const ENTRY_NUMBERS: Statement = {
  name: 'number_content_entries',
  sqlite: `select ${LAST_ENTRY} + ?1`,
  postgres:
    "select nextval(pg_get_serial_sequence('content_entries', 'no')) from generate_series(1, $1::int)",
}
/** Of an entry that was never anything but published, below no other. */
const PLAIN = { has_live: 1, changed: 0, parent: null, is_root: 0 }

/** An entry as a reader shows it: what a change is planned from. */
export interface Known {
  readonly copyNo: number
  readonly id: number
  readonly documentId: string
  readonly slug: string
  readonly createdAtMs: number
  readonly version: number
}

interface Deps {
  readonly clock: Clock
  readonly ids: Pick<Ids, 'uuid'>
  /** All writers would wait for the one row of the counter. */
  readonly isCounted?: boolean
}
type Columns = Readonly<Record<string, Value>>

/** Plans of writes to one content type, in its real tables. */
export function createPages(type: ContentType, { clock, ids, isCounted = true }: Deps) {
  const highest = highestSuffix(type.table, columnFor('slug'))
  return { create, createAll, rename }

  function create(title: string): WritePlan {
    return createAll([title])
  }

  function createAll(titles: readonly string[]): WritePlan {
    const nowMs = clock.now()
    const count = titles.length
    const made = titles.map((title, at) => {
      const entryNo = { number: at }
      const id = { number: count + at }
      const copyNo = { number: 2 * count + at }
      const slug = { name: at }
      const path: Parts = { parts: ['/pages/', slug] }
      const documentId = ids.uuid()
      const system = { id, document_id: documentId, locale: '', ...timesOf(nowMs, nowMs) }
      const own = { live: 1, work: 1, revision_id: copyNo, ...bodyOf({ title, count: 0 }, slug) }
      const copy: Columns = { copy_no: copyNo, entry_no: entryNo, ...system, ...own }
      const shown: Columns = { ...PLAIN, sort_order: id, path, version: 1 }
      const entry: Columns = {
        no: entryNo,
        type_no: type.no,
        ...system,
        ...shown,
        ancestors_live: 1,
      }
      const payload: Parts = {
        parts: ['{"id":', id, `,"document_id":"${documentId}","slug":"`, slug, '"}'],
      }
      return { copy, entry, row: rowOf({ ...copy, ...shown }), payload }
    })
    const entries = made.map(({ entry }) => entry)
    const copies = made.map(({ copy }) => copy)
    return {
      guards: [],
      numbers: [
        { count, take: ENTRY_NUMBERS },
        numbersOf(`${type.table}_id`, count),
        numbersOf('content_copy', count),
      ],
      names: titles.map((title) => ({ base: slugOf(title), highest })),
      steps: [
        insertOf('content_entries', entries, 'overriding system value '),
        insertOf(type.table, copies),
        ...(isCounted ? [{ statement: COUNT, values: [count], returns: true } as const] : []),
      ],
      events: made.map(({ payload }) => eventOf('page.created', nowMs, payload)),
      touches: [type.no],
      rows: made.map(({ row }) => row),
    }
  }

  /** Made from what somebody read: it goes back when the entry has been changed meanwhile. */
  function rename(known: Known, title: string, count = 0): WritePlan {
    const nowMs = clock.now()
    const { copyNo, id, documentId, slug, createdAtMs, version } = known
    const times = timesOf(createdAtMs, nowMs)
    const changed: Columns = {
      ...bodyOf({ title, slug, count }),
      ...times,
      revision_id: { number: 0 },
    }
    const told = { id, document_id: documentId, version: version + 1 }
    const shown = { ...PLAIN, ...told, sort_order: id, path: `/pages/${slug}` }
    return {
      guards: [{ statement: VERSION, values: [type.no, id], is: version }],
      numbers: [numbersOf('content_copy', 1)],
      names: [],
      steps: [
        {
          statement: updating(type.table, Object.keys(changed), 'copy_no'),
          values: [...Object.values(changed), copyNo],
        },
        { statement: RAISE, values: [nowMs, type.no, id] },
      ],
      events: [eventOf('page.updated', nowMs, { parts: [JSON.stringify(told)] })],
      touches: [type.no],
      rows: [rowOf({ copy_no: copyNo, locale: '', ...changed, ...shown })],
    }
  }

  /**
   * What follows from the values. Neither document nor folded text can be finished before the name is known:
   * they are rendered with a mark that nobody can guess, and cut there.
   */
  function bodyOf(given: Readonly<Record<string, JsonValue>>, slug?: Later): Columns {
    const mark = ids.uuid()
    const all: Readonly<Record<string, JsonValue>> = slug ? { ...given, slug: mark } : given
    const values = new Map(
      type.attributes.filter(isScalar).map(({ no, name }) => [no, all[name] ?? null]),
    )
    const columns = columnsOf(type, { values, formats: {}, links: new Map(), parts: new Map() })
    return Object.fromEntries(
      [...columns].map(([name, value]) => [name, slug ? cutAt(mark, value, slug) : value]),
    )
  }

  function eventOf(name: string, atMs: number, payload: Parts) {
    return { id: ids.uuid(), type: name, atMs, payload }
  }

  function columnFor(name: string): string {
    const attribute = type.attribute.get(name)
    if (!attribute || !isScalar(attribute)) throw new Error(`no attribute ${name}`)
    return columnOf(attribute)
  }
}

function timesOf(createdAtMs: number, updatedAtMs: number) {
  return { created_at: createdAtMs, updated_at: updatedAtMs, published_at: null }
}

function cutAt(mark: string, value: Cell, slug: Later): Value {
  if (typeof value !== 'string' || !value.includes(mark)) return value
  const [before = '', ...rest] = value.split(mark)
  return { parts: [before, ...rest.flatMap((part) => [slug, part])] }
}

type RowColumn = Parameters<typeof columnIndexOf>[0]

/** A row as the statement of a page gives it: what entries are made of. */
function rowOf(columns: Columns): Value[] {
  const row: Value[] = []
  for (const [name, value] of Object.entries(columns)) {
    const place = columnIndexOf(name as RowColumn)
    if (place !== -1) row[place] = value
  }
  return Array.from(row, (value) => value ?? null)
}

/** What the row of a write, or of a page, tells. */
export function knownFrom(row: Cells = []): Known {
  const at = (name: RowColumn) => row[columnIndexOf(name)] ?? null
  return {
    copyNo: Number(at('copy_no')),
    id: Number(at('id')),
    documentId: String(at('document_id')),
    slug: String(at('path')).slice('/pages/'.length),
    createdAtMs: Number(at('created_at')),
    version: Number(at('version')),
  }
}

function numbersOf(sequence: string, count: number): Numbers {
  const sqlite = `update kernel_sequences set value = value + ?1 where name = '${sequence}' returning value`
  const postgres = `select nextval('${sequence}') from generate_series(1, $1::int)`
  return { count, take: { name: `number_${sequence}`, sqlite, postgres } }
}

/**
 * One question that the unique index of the column answers: names that begin so lie side by side, and `.` is
 * what follows `-`. The index is of a language and of working copies, so both must be named.
 */
function highestSuffix(table: string, column: string): Statement {
  const rest = `substr(${column}, length($1) + 2)`
  const select = (suffix: string) =>
    `select max(case when ${column} = $1 then 1 ${suffix} end) from ${table} where work = 1 and locale = '' and ${column} >= $1 and ${column} < $1 || '.'`
  return statement(
    `highest_${table}`,
    select(`else cast(${rest} as integer)`),
    select(`when ${rest} ~ '^[0-9]{1,9}$' then ${rest}::int else 0`).replaceAll('$1', '$1::text'),
  )
}

function insertOf(table: string, rows: readonly Columns[], overriding = '') {
  const columns = Object.keys(rows[0] ?? {})
  const list = (_row: Columns, at: number) =>
    `(${columns.map((_, n) => `$${at * columns.length + n + 1}`).join(', ')})`
  const into = `insert into ${table} (${columns.join(', ')})`
  const values = `values ${rows.map(list).join(', ')}`
  const name = `insert_${table}_${rows.length}`
  return {
    statement: statement(name, `${into} ${values}`, `${into} ${overriding}${values}`),
    values: rows.flatMap((row) => Object.values(row)),
  }
}

function updating(table: string, columns: readonly string[], key: string): Statement {
  const changes = columns.map((name, at) => `${name} = $${at + 1}`).join(', ')
  return statement(
    `update_${table}`,
    `update ${table} set ${changes} where ${key} = $${columns.length + 1}`,
  )
}
