import type { Entry, Included } from '../../entry.ts'
import type { ContentType } from '../../model.ts'
import { sql } from '../fragment.ts'
import type { ResolvedInclude } from '../resolved.ts'
import { currentDocuments } from './current.ts'
import { ENTRY_COLUMNS, type EntryRow, entrySource } from './entry-row.ts'
import { type Loading, loadIncludes } from './include.ts'
import { groupRows, type Level, type Parent } from './parents.ts'
import { includeStatement, type OwnedRow } from './statement.ts'
import { toEntry } from './to-entry.ts'

/** Entries of rows, with everything that was asked to be loaded with them. */
export async function toEntries<Row extends EntryRow>(
  to: Loading,
  type: ContentType,
  rows: readonly Row[],
  includes: readonly ResolvedInclude[],
): Promise<readonly Entry[]> {
  const copyNo = { column: 'copy_no', of: (row: EntryRow) => row.copy_no } as const
  const current = await currentDocuments(to, type, copyNo, rows)
  const parents: Parent[] = []
  const entries = rows.map((row) => {
    const included = new Map<string, Included>()
    parents.push({ copyNo: row.copy_no, part: 0, included })
    return toEntry(type, row, current(row), included)
  })
  await loadIncludes(to, { holder: type, component: null, parents }, includes)
  return entries
}

export async function loadEntries(
  to: Loading,
  level: Level,
  include: ResolvedInclude,
  target: ContentType,
) {
  const compiling = to.compiling()
  const statement = includeStatement<OwnedRow & EntryRow>(compiling, level, include, {
    key: 'copy_no',
    columns: ENTRY_COLUMNS,
    source: (key) => entrySource(target, key),
  })
  const rows = await to.run(statement, compiling.mayScan)
  const entries = await toEntries(to, target, rows, include.include)
  const found = rows.map(({ owner, part, total, n }, at) => ({ owner, part, total, n, at }))
  const rowsOf = groupRows(found)
  for (const parent of level.parents) {
    const own = rowsOf(parent)
    const shown = own.filter(({ n }) => n > include.start).flatMap(({ at }) => entries[at] ?? [])
    parent.included.set(include.name, toIncluded(shown, own[0]?.total ?? 0, include))
  }
}

function toIncluded(entries: readonly Entry[], total: number, { many }: ResolvedInclude): Included {
  if (many) return { kind: 'entries', entries, total }
  return { kind: 'entry', entry: entries[0] ?? null }
}

interface IdRow extends OwnedRow {
  readonly id: number
  readonly document_id: string
}

export async function loadIds(
  to: Loading,
  level: Level,
  include: ResolvedInclude,
  target: ContentType,
) {
  const compiling = to.compiling()
  const statement = includeStatement<IdRow>(compiling, level, include, {
    key: 'copy_no',
    columns: [sql`d.id`, sql`d.document_id`],
    source: (key) => sql`join ${sql.table(target.table)} as d on d.copy_no = ${key}`,
  })
  const rowsOf = groupRows(await to.run(statement, compiling.mayScan))
  for (const parent of level.parents) {
    const own = rowsOf(parent)
    const ids = own
      .filter(({ n }) => n > include.start)
      .map((row) => ({ id: row.id, documentId: row.document_id }))
    parent.included.set(include.name, { kind: 'ids', ids, total: own[0]?.total ?? 0 })
  }
}
