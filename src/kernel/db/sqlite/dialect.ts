import { sql } from 'kysely'
import type { Clock } from '../../clock.ts'
import { isList, type SqlDialect } from '../dialect.ts'
import { rowSequences } from '../sequences.ts'
import { StorageError } from './errors.ts'
import { renderList } from './list.ts'
import { shareNumbers } from './numbers.ts'
import { ftsTextIndex } from './text-index.ts'

// SQLite's extended result codes for a violated UNIQUE or PRIMARY KEY.
const UNIQUE_CODES = new Set([2067, 1555, 2579])

/** The thread ended, a time limit did, or the disk is full; nothing of what was asked has happened. */
const MAY_BE_REPEATED = new Set([
  ...['storage_lost', 'query_timeout', 'query_stuck', 'scan_refused', 'transaction_timeout'],
  'storage_full',
])

/** `numbers`: the memory of all threads with the last number of each sequence. */
export function sqliteDialect(clock: Clock, numbers: SharedArrayBuffer): SqlDialect {
  return {
    name: 'sqlite',
    rowLocks: false,
    singleProcess: true,
    batchesAreOneMoment: true,
    version: sql<string>`sqlite_version()`,
    size: sql<number>`(select page_count * page_size from pragma_page_count, pragma_page_size)`,
    nowMs: () => sql<number>`(cast(unixepoch('subsec') * 1000 as integer) + ${clock.offsetMs()})`,
    // The column makes SQLite ask for rows and not once for the statement. The call costs more than most
    // conditions, so one row in 64 is asked, chosen so that no regular gaps between numbers miss all.
    withinDeadline: (column) =>
      sql<boolean>`(((${sql.ref(column)} * 40503) >> 9) & 63 <> 0 or within_deadline(${sql.ref(column)}) = 1)`,
    isOneOf: (value, list) =>
      sql<boolean>`${value} in (select value from json_each(${isList(list) ? renderList(list) : list}))`,
    bindList: renderList,
    bindParts: renderList,
    // Materialised, the list gets an index of its own, for this statement.
    rankOf: (value, ranks) =>
      sql<number>`(with r(name, rank) as materialized (select key, value from json_each(${ranks})) select r.rank from r where r.name = cast(${value} as text))`,
    contains: (text, part) => sql<boolean>`instr(${text}, ${part}) > 0`,
    containsOneOf: (text, parts) =>
      sql<boolean>`exists (select 1 from json_each(${parts}) as part where instr(${text}, part.value) > 0)`,
    hasWord: (text, word) =>
      sql<boolean>`(instr(${text}, ${word}) > 0 and has_word(${text}, ${word}) = 1)`,
    like: (text, pattern) => sql<boolean>`${text} like ${pattern}`,
    endsWith: (text, part) => sql<boolean>`substr(${text}, -length(${part})) = ${part}`,
    wholeNumber: (text) =>
      sql<number>`case when length(${text}) between 1 and 9 and ${text} not glob '*[^0-9]*' then cast(${text} as integer) end`,
    isUniqueViolation: (error) => error instanceof StorageError && UNIQUE_CODES.has(error.errcode),
    // Writers follow each other, so none holds what another needs.
    isDeadlock: () => false,
    isUnavailable: (error) => error instanceof StorageError && MAY_BE_REPEATED.has(error.code),
    // Every connection brings its functions with it.
    defineJsonMember: sql`select 1`,
    sequences: rowSequences(shareNumbers(numbers)),
    textIndex: ftsTextIndex,
    counts: undefined,
    types: {
      bigint: sql`integer`,
      bytes: sql`blob`,
      double: sql`real`,
      serial: sql`integer primary key autoincrement`,
      text: sql`text`,
    },
    // A row that is given its key keeps it.
    giveKeys: () => sql`select 1`,
    indexes: {
      concurrently: sql``,
      beforeBuild: sql`select 1`,
      afterBuild: sql`select 1`,
      longKey: (column) => sql`${column}`,
      nullsLowest: (column) => sql`${column}`,
      // Every index holds it.
      withKey: () => sql``,
      weighedByLimit: false,
      unused: (value) => sql`+${value}`,
    },
    // A transaction excludes all other writers from its first statement on.
    lockTable: () => sql`select 1`,
    lockName: () => sql`select 1`,
    lockNameShared: () => sql`select 1`,
  }
}
