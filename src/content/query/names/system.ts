import { sql } from '../fragment.ts'
import {
  type Column,
  parseFlag,
  parseMoment,
  textColumn as text,
  wholeColumn as whole,
} from './column.ts'

const moment = { parse: parseMoment }
const registry = { registry: true }

/**
 * What entries have besides their attributes. Names with `@` are for dialects: as plain names they are
 * free for users' own attributes (content model §3.1).
 */
export const SYSTEM_COLUMNS: ReadonlyMap<string, Column> = new Map<string, Column>([
  ['id', whole('id')],
  ['documentId', text('document_id')],
  ['createdAt', whole('created_at', moment)],
  ['updatedAt', whole('updated_at', moment)],
  ['publishedAt', whole('published_at', { ...moment, nullable: true })],
  ['locale', text('locale', { nullable: true })],
  ['externalId', text('external_id', { ...registry, nullable: true })],
  ['path', text('path', { ...registry, nullable: true })],
  ['@parent', text('parent', { ...registry, nullable: true })],
  ['@sortOrder', whole('sort_order', registry)],
  ['@isRoot', whole('is_root', { ...registry, parse: parseFlag })],
  ['@ancestorsLive', whole('ancestors_live', { ...registry, parse: parseFlag, rare: isHidden })],
  ['@level', whole('level', { ...registry, sql: level })],
  ['@createdBy', whole('created_by', { ...registry, nullable: true })],
  ['@updatedBy', whole('updated_by', { ...registry, nullable: true, indexed: false })],
  ['@revisionId', whole('revision_id', { indexed: false })],
  ['@status', text('status', { ...registry, sql: status })],
])

/** Written out, because a partial index is chosen by it. */
function isHidden(alias: string) {
  return sql`${sql.ref(`${alias}.ancestors_live`)} = 0`
}

/** What the definition of a type says it has not, whatever is stored from before it was changed. */
export const ABSENT_COLUMNS = {
  publishedAt: whole('published_at', {
    ...{ ...moment, nullable: true, indexed: false },
    sql: () => sql`cast(null as bigint)`,
  }),
  locale: text('locale', {
    ...{ nullable: true, indexed: false },
    sql: () => sql`cast(null as text)`,
  }),
} as const

function status(alias: string) {
  const hasLive = sql.ref(`${alias}.has_live`)
  const changed = sql.ref(`${alias}.changed`)
  return sql`case when ${hasLive} = 0 then 'draft' when ${changed} = 1 then 'changed' else 'published' end`
}

/** 1 for root entries, 2 directly under a collection, then one more for each step. */
function level(alias: string) {
  const document = sql.ref(`${alias}.document_id`)
  return sql`(with recursive up(parent, is_root, steps) as (
    select x.parent, x.is_root, 0 from content_entries x where x.no = ${sql.ref(`${alias}.no`)}
    union all
    select y.parent, y.is_root, up.steps + 1 from up
    join content_entries y on y.document_id = up.parent
      and y.locale = (select min(z.locale) from content_entries z where z.document_id = up.parent)
    where y.document_id <> ${document} and up.steps < 100)
    select max(up.steps + case when up.is_root = 1 then 1 else 2 end) from up where up.parent is null)`
}
