import { type ExpressionBuilder, type Selectable, sql, type Updateable } from 'kysely'
import { insertOf, insertsOf, prepared, toNewRows } from '#db'
import type { ContentTables } from '../../tables.ts'
import {
  among,
  gatherInChunks,
  guardCount,
  guardNone,
  type Holding,
  holdName,
  inChunks,
  locksReads,
  type Trx,
} from './statements.ts'

/** The row of one language variant. */
export type Registered = Selectable<ContentTables['content_entries']>
type NewRegistered = Omit<Registered, 'sort_order'>
export type RegisteredChange = Updateable<ContentTables['content_entries']>

/**
 * All variants of a document, locked, so that writers of one document follow each other and each
 * sees what the one before it left.
 */
export function lockDocument(held: Holding, documentId: string): Promise<Registered[]> {
  return lockDocuments(held, [documentId])
}

/** The same of several documents. */
export async function lockDocuments(
  held: Holding,
  documentIds: readonly string[],
): Promise<Registered[]> {
  const { trx, dialect } = held
  const ids = among(dialect, documentIds, 'text')
  const text = () =>
    trx
      .selectFrom('content_entries')
      .selectAll()
      .where(ids.has(sql.ref('document_id')))
      .orderBy('no')
      .$if(locksReads(held), (query) => query.forUpdate())
  const key = `${ids.key} documents${locksReads(held) ? ', locked' : ''}`
  const { rows } = await trx.executeQuery(prepared(trx, key, [ids.bound], text))
  guardDocuments(held, documentIds, rows, 'update')
  return rows
}

/** The same, found by the id of one of its variants. */
export async function lockDocumentOf(
  held: Holding,
  typeNo: number,
  id: number,
): Promise<Registered[]> {
  const { trx } = held
  const text = () =>
    trx
      .selectFrom('content_entries')
      .selectAll()
      .where('document_id', '=', (one) => documentOf(one, typeNo, id))
      .orderBy('no')
      .$if(locksReads(held), (query) => query.forUpdate())
  const key = `document by id${locksReads(held) ? ', locked' : ''}`
  const { rows } = await trx.executeQuery(prepared(trx, key, [typeNo, id], text))
  const [first] = rows
  if (first) guardDocuments(held, [first.document_id], rows, 'update')
  return rows
}

export function documentOf(
  one: Pick<ExpressionBuilder<ContentTables, never>, 'selectFrom'>,
  typeNo: number,
  id: number,
) {
  return one
    .selectFrom('content_entries as asked')
    .select('asked.document_id')
    .where('asked.type_no', '=', typeNo)
    .where('asked.id', '=', id)
}

/** Without what was asked together with it. */
export function toRegistered(row: Registered): Registered {
  return {
    no: row.no,
    type_no: row.type_no,
    id: row.id,
    document_id: row.document_id,
    locale: row.locale,
    created_at: row.created_at,
    updated_at: row.updated_at,
    published_at: row.published_at,
    has_live: row.has_live,
    changed: row.changed,
    parent: row.parent,
    sort_order: row.sort_order,
    is_root: row.is_root,
    path: row.path,
    ancestors_live: row.ancestors_live,
    version: row.version,
    created_by: row.created_by,
    updated_by: row.updated_by,
    external_id: row.external_id,
    source: row.source,
    revised_at: row.revised_at,
    revised_by: row.revised_by,
    scraped: row.scraped,
    publish_at: row.publish_at,
    unpublish_at: row.unpublish_at,
    schedule_fault: row.schedule_fault,
    events: row.events,
  }
}

/**
 * A plan holds only while these are all variants of the documents, and as they were. Versions rise with every
 * change but the loss of a parent.
 */
export function guardDocuments(
  held: Holding,
  documentIds: readonly string[],
  rows: readonly Registered[],
  lock: 'update' | 'share',
) {
  const { tx, trx, dialect } = held
  if (!tx.isPlan || documentIds.length === 0) return
  for (const { no, version, parent } of rows) {
    const same = () =>
      trx
        .selectFrom('content_entries')
        .select('no')
        .where('no', '=', no)
        .where('version', '=', version)
        .where(sql<string>`coalesce(parent, '')`, '=', parent ?? '')
        .$if(dialect.rowLocks && lock === 'update', (query) => query.forUpdate())
        .$if(dialect.rowLocks && lock === 'share', (query) => query.forShare())
    const values = [no, version, parent ?? '']
    tx.guard({ compile: () => prepared(trx, `guard an entry, ${lock}`, values, same) })
  }
  const ids = among(dialect, documentIds, 'text')
  const key = `variants of ${ids.key}`
  const all = () => sql`from content_entries where ${ids.has(sql.ref('document_id'))}`
  if (rows.length === 0) guardNone(held, key, [ids.bound], () => sql`select 1 ${all()}`)
  else guardCount(held, key, [ids.bound], () => sql`select count(*) ${all()}`, rows.length)
}

/** In the order of their numbers. */
export function findRegistered(trx: Trx, nos: readonly number[]): Promise<Registered[]> {
  return gatherInChunks([...new Set(nos)], (chunk) =>
    trx.selectFrom('content_entries').selectAll().where('no', 'in', chunk).orderBy('no').execute(),
  )
}

/** Of a single type: the variants of its one document. */
export async function findOfType(held: Holding, typeNo: number): Promise<Registered[]> {
  await holdName(held, `single ${typeNo}`)
  const rows = await held.trx
    .selectFrom('content_entries')
    .selectAll()
    .where('type_no', '=', typeNo)
    .orderBy('no')
    .limit(1_000)
    .execute()
  const count = () => sql`select count(*) from content_entries where type_no = ${typeNo}`
  guardCount(held, 'entries of a type', [typeNo], count, rows.length)
  return rows
}

/** The same for many, in every language. */
export async function findByExternalIds(
  { trx, dialect }: Pick<Holding, 'trx' | 'dialect'>,
  typeNo: number,
  externalIds: readonly string[],
) {
  return trx
    .selectFrom('content_entries')
    .select(['no', 'id', 'locale', 'external_id'])
    .where('type_no', '=', typeNo)
    .where(dialect.isOneOf(sql.ref('external_id'), externalIds, 'text'))
    .where('external_id', 'is not', null)
    .execute()
}

interface Registering {
  readonly row: NewRegistered
  readonly sortOrder: number | undefined
}

/**
 * New entries go last among their siblings unless their place is given; where they went can be asked for after
 * the write, by their numbers.
 */
export async function registerAll(
  held: Holding,
  entries: readonly Registering[],
): Promise<(no: number) => number> {
  const [first] = entries
  if (entries.length === 1 && first) return register(held, first.row, first.sortOrder)
  const placed = entries.filter(({ sortOrder }) => sortOrder !== undefined)
  const rows = placed.map(({ row, sortOrder }) => ({ ...row, sort_order: sortOrder ?? 0 }))
  for (const insert of insertsOf(held.trx, 'content_entries', toNewRows(rows))) {
    await held.trx.executeQuery(insert)
  }
  const last = entries.filter(({ sortOrder }) => sortOrder === undefined).map(({ row }) => row)
  const written: (() => readonly Ordered[])[] = []
  for (const group of Map.groupBy(last, ({ parent }) => parent).values()) {
    written.push(await registerLast(held, group))
  }
  let orders: Map<number, number> | undefined
  return (no) => {
    orders ??= new Map(written.flatMap((own) => own().map((row) => [row.no, row.sort_order])))
    return orders.get(no) ?? 0
  }
}

type Ordered = Pick<Registered, 'no' | 'sort_order'>

/** Siblings, behind all others in their order. */
function registerLast({ tx, trx }: Holding, siblings: readonly NewRegistered[]) {
  const rows = siblings.map((row, at) => ({ ...row, sort_order: at + 1 }))
  const [first] = siblings
  if (!first) throw new Error('there is nothing to register')
  const names = Object.keys(first)
  const columns = sql.join([...names, 'sort_order'].map((name) => sql.ref(name)))
  const kept = sql.join(names.map((name) => sql.ref(`fresh.${name}`)))
  const query = insertOf<Ordered>(trx, 'content_entries', toNewRows(rows), {
    key: first.parent === null ? 'last of a type' : 'last children',
    values: [first.parent ?? first.type_no],
    toQuery: (bound) => sql<Ordered>`
      with fresh (${columns}) as (${bound})
      select ${kept}, fresh.sort_order + ${lastPlace(trx, first)} from fresh
      returning no, sort_order`,
  })
  return tx.returning({ compile: () => query })
}

async function register(
  { tx, trx }: Holding,
  row: NewRegistered,
  sortOrder: number | undefined,
): Promise<(no: number) => number> {
  const given = Object.values(row)
  if (sortOrder !== undefined) {
    const query = prepared(trx, 'register in a place', [...given, sortOrder], () =>
      trx.insertInto('content_entries').values({ ...row, sort_order: sortOrder }),
    )
    await trx.executeQuery(query)
    return () => sortOrder
  }
  const siblings = row.parent ?? row.type_no
  const key = row.parent === null ? 'register as last of a type' : 'register as last child'
  const query = prepared(trx, key, [...given, siblings], () =>
    trx
      .insertInto('content_entries')
      .values({ ...row, sort_order: sql<number>`${lastPlace(trx, row)} + 1` })
      .returning('sort_order'),
  )
  const written = await tx.returning({ compile: () => query })
  return () => written()[0]?.sort_order ?? 0
}

function lastPlace(trx: Trx, { parent, type_no }: NewRegistered) {
  return parent === null ? lastOfType(trx, type_no) : lastChild(trx, parent)
}

/**
 * The first row of an index, named by all of its columns: the maximum of a type PostgreSQL would take of all its entries,
 * for as long as it keeps the plan that it made when there were few.
 */
function lastOfType(trx: Trx, typeNo: number) {
  const last = trx
    .selectFrom('content_entries')
    .select('sort_order')
    .where('parent', 'is', null)
    .where('type_no', '=', typeNo)
    .orderBy('parent', 'desc')
    .orderBy('type_no', 'desc')
    .orderBy('sort_order', 'desc')
    .limit(sql.lit(1))
  return sql<number>`coalesce((${last}), 0)`
}

function lastChild(trx: Trx, parent: string) {
  return trx
    .selectFrom('content_entries')
    .select(sql<number>`coalesce(max(sort_order), 0)`.as('last'))
    .where('parent', '=', parent)
}

export function changeRegistered(trx: Trx, nos: readonly number[], change: RegisteredChange) {
  const key = `change entries: ${Object.keys(change).join()}, `
  return inChunks(nos, (chunk) => {
    const values = [...Object.values(change), ...chunk]
    const text = () => trx.updateTable('content_entries').set(change).where('no', 'in', chunk)
    return trx.executeQuery(prepared(trx, key + chunk.length, values, text))
  })
}

/** What others see of these entries has changed, though nobody wrote them. */
export function raiseVersions(trx: Trx, nos: readonly number[], updatedAtMs?: number) {
  return inChunks([...new Set(nos)], (chunk) =>
    trx
      .updateTable('content_entries')
      .set((row) => ({
        version: row('version', '+', 1),
        ...(updatedAtMs === undefined ? {} : { updated_at: updatedAtMs }),
      }))
      .where('no', 'in', chunk)
      .execute(),
  )
}

export async function unregister(trx: Trx, nos: readonly number[]) {
  await inChunks(nos, async (chunk) => {
    await trx.deleteFrom('content_former_paths').where('entry_no', 'in', chunk).execute()
    await trx.deleteFrom('content_revisions').where('entry_no', 'in', chunk).execute()
    await trx.deleteFrom('content_entries').where('no', 'in', chunk).execute()
  })
}
