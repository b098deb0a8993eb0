import type { ContentModel } from '../../model.ts'
import { type Piece, type Sql, sql } from '../fragment.ts'
import { FILE_SOURCE } from '../load/files.ts'
import type { ResolvedFiles } from '../resolved.ts'
import type { Slot } from '../slot.ts'
import { allOf, anyOf, type Compiling, column } from './context.ts'
import { compileCondition } from './filter.ts'
import { orderBy, orderKeys } from './order.ts'
import { isPublicFile } from './public-files.ts'

const FILE = { kind: 'file', alias: 'd' } as const
const SEARCHED = ['name_fold', 'alternative_text_fold', 'caption_fold']

/** Rows begin with the columns of `FILE_SOURCE`; a total follows them or stands alone. */
export function compileFiles(to: Compiling, model: ContentModel, files: ResolvedFiles): Piece {
  const { wanted, start, limit } = files
  const keys = orderKeys(to, FILE, files.sort, files.nulls)
  const from = sql`from content_files as d where ${conditionOf(to, model, files)}`
  const total = sql`select count(*) ${from}`
  if (wanted === 'total') return total
  if (wanted === 'folders') {
    return sql`select d.folder, min(d.created_at), max(d.updated_at) ${from} group by d.folder`
  }
  const columns = [...FILE_SOURCE.columns, ...(wanted === 'counted' ? [sql`(${total})`] : [])]
  return sql`select ${sql.join(columns)} ${from} order by ${orderBy(keys)} limit ${limit} offset ${start}`
}

function conditionOf(
  to: Compiling,
  model: ContentModel,
  { condition, search, isPublic }: ResolvedFiles,
): Sql {
  const conditions: Sql[] = condition ? [compileCondition(to, FILE, condition)] : []
  if (search) conditions.push(searchFor(to, search))
  if (isPublic) conditions.push(isPublicFile(to, model, FILE.alias))
  if (to.mayScan) conditions.unshift(to.dialect.withinDeadline('d.id'))
  return allOf(conditions)
}

function searchFor(to: Compiling, text: Slot): Sql {
  to.noteScan()
  const part = sql.val(text)
  return anyOf(SEARCHED.map((name) => to.dialect.contains(column(FILE.alias, name), part)))
}
