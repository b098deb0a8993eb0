import { type Piece, sql } from '../fragment.ts'
import type { Condition } from '../resolved.ts'
import { allOf, type Compiling } from './context.ts'
import { compileCondition } from './filter.ts'

const FILE = { kind: 'file', alias: 'd' } as const

/** The folders in which such files lie, with the times of the first and the last of these. */
export function compileFolders(to: Compiling, conditions: readonly Condition[]): Piece {
  const isShown = conditions.map((condition) => compileCondition(to, FILE, condition))
  const within = to.mayScan ? [to.dialect.withinDeadline('d.id')] : []
  return sql`select d.folder, min(d.created_at), max(d.updated_at) from content_files as d where ${allOf([...within, ...isShown])} group by d.folder`
}
