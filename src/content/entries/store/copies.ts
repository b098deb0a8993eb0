import { type SqlBool, sql } from 'kysely'
import { prepared } from '#db'
import { readHidden, readValues, selectValues } from '../../document.ts'
import type { ColumnValue } from '../../fields/kind.ts'
import type { ContentModel, ContentType } from '../../model.ts'
import { type Body, hasSameLinks, hasSameParts, isSameJson } from '../body.ts'
import {
  besidesOf,
  deleteLinks,
  deleteTags,
  findLinks,
  insertLinks,
  insertTags,
  type KnownPositions,
  type LinkRow,
  linkRows,
  positionsOf,
  type TagRow,
  tagAttributes,
  tagRows,
} from './links.ts'
import { deleteParts, findParts, insertParts, nest, partRows } from './parts.ts'
import { documentOf, type Registered, toRegistered } from './registry.ts'
import { bodyColumns, cellsOf, insertRows, updateRow } from './rows.ts'
import { gatherInChunks, inChunks, type Trx } from './statements.ts'

/** A row of a values table with everything that belongs to it. */
export interface Copy {
  readonly copyNo: number
  readonly entryNo: number
  readonly id: number
  readonly documentId: string
  readonly locale: string
  readonly live: boolean
  readonly work: boolean
  readonly revisionId: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly publishedAtMs: number | null
  readonly body: Body
  readonly known: KnownPositions
}

/**
 * `values`: without links and components, for writes that touch neither, because whoever holds the
 * lock of a document keeps others waiting.
 */
export type Depth = 'whole' | 'values'

interface Stored {
  copy_no: number
  entry_no: number
  id: number
  document_id: string
  locale: string
  live: number
  work: number
  revision_id: number
  created_at: number
  updated_at: number
  published_at: number | null
  hidden: string
}

const SYSTEM = [
  'copy_no',
  'entry_no',
  'id',
  'document_id',
  'locale',
  'live',
  'work',
  'revision_id',
  'created_at',
  'updated_at',
  'published_at',
] as const

/** By names that the row of an entry does not have. */
const OWN = [
  'copy.copy_no as own_copy_no',
  'copy.entry_no as own_entry_no',
  'copy.id as own_id',
  'copy.document_id as own_document_id',
  'copy.locale as own_locale',
  'copy.live as own_live',
  'copy.work as own_work',
  'copy.revision_id as own_revision_id',
  'copy.created_at as own_created_at',
  'copy.updated_at as own_updated_at',
  'copy.published_at as own_published_at',
] as const

/** SQL of copies: of which there are one or two for each entry. */
export function createCopies(type: ContentType, model: ContentModel) {
  const besides = besidesOf(type, model)
  const names = [...SYSTEM, ...bodyColumns(type)]
  const key = (value: number) => ({ column: 'copy_no', value })
  return { find, findDocument, insert, save, setFlags, split, remove }

  /** A bounded number of statements, however many copies there are. */
  async function find(
    trx: Trx,
    entryNos: readonly number[],
    depth: Depth = 'whole',
  ): Promise<Copy[]> {
    return whole(trx, await gatherInChunks(entryNos, (chunk) => findRows(trx, chunk)), depth)
  }

  /**
   * All variants of a document of this type and their copies, asked at once: for a plan, whose guards find out what
   * has changed since. Who locks rows has to lock them before their copies are read.
   */
  async function findDocument(
    trx: Trx,
    target: { readonly id: number } | { readonly documentId: string },
    depth: Depth = 'whole',
  ): Promise<{ variants: Registered[]; copies: Copy[] }> {
    const values = 'id' in target ? [type.no, target.id] : [target.documentId]
    const text = () =>
      trx
        .selectFrom('content_entries as e')
        .innerJoin(sql<Stored>`${sql.table(type.table)}`.as('copy'), (join) =>
          // By `=` PostgreSQL would read the whole table to join by hash, until it knows how large that is.
          join.on(sql<SqlBool>`copy.entry_no between e.no and e.no`),
        )
        .selectAll('e')
        .select([...OWN, 'copy.hidden'])
        .select(selectValues(type, 'copy'))
        .where('e.document_id', '=', (one) =>
          'id' in target ? documentOf(one, type.no, target.id) : one.val(target.documentId),
        )
    const key = `document by ${Object.keys(target)} with ${type.table}, shape ${type.shape}`
    const { rows } = await trx.executeQuery(prepared(trx, key, values, text))
    const variants = new Map(rows.map((row) => [row.no, row]))
    return {
      // Sorted here: for the order PostgreSQL might read all entries by their numbers.
      variants: [...variants.values()].map(toRegistered).sort((a, b) => a.no - b.no),
      copies: await whole(trx, rows, depth),
    }
  }

  /** With what lies beside their rows. */
  async function whole(trx: Trx, rows: readonly OwnRow[], depth: Depth): Promise<Copy[]> {
    const nos = depth === 'whole' ? rows.map((row) => row.own_copy_no) : []
    const links = besides.links ? await findLinks(trx, nos) : []
    const parts = await findParts(trx, besides.components, nos)
    const linksOf = Map.groupBy(links, (row) => row.owner_copy)
    const partsOf = Map.groupBy(parts, (row) => row.ownerCopy)
    return rows.map((row) => {
      const own = linksOf.get(row.own_copy_no) ?? []
      return {
        ...toSystem(row),
        known: positionsOf(own),
        body: {
          values: readValues(type, row),
          ...readHidden(row.hidden),
          ...nest(partsOf.get(row.own_copy_no) ?? [], own),
        },
      }
    })
  }

  async function findRows(trx: Trx, entryNos: readonly number[]) {
    const text = () =>
      trx
        .selectFrom(sql<Stored>`${sql.table(type.table)}`.as('copy'))
        .select([...OWN, 'hidden'])
        .select(selectValues(type, 'copy'))
        .where('entry_no', 'in', entryNos)
    const key = `copies of ${entryNos.length} in ${type.table}, shape ${type.shape}`
    const { rows } = await trx.executeQuery(prepared(trx, key, entryNos, text))
    return rows
  }

  /** A bounded number of statements, however many copies there are. */
  async function insert(trx: Trx, copies: readonly Copy[]) {
    await insertRows(trx, type.table, { names, cells: copies.map(cellsOfCopy) })
    const links = besides.links
      ? copies.map((copy) => linkRows(copy.body.links, ownerOf(copy)))
      : []
    const tags = besides.tags ? copies.map((copy) => tagRows(type, copy.body, ownerOf(copy))) : []
    await insertBesides(trx, copies, links.flat(), tags.flat())
  }

  /** What lies in components, together with these rows of the entries themselves. */
  async function insertBesides(
    trx: Trx,
    copies: readonly Copy[],
    links: readonly LinkRow[] = [],
    tags: readonly TagRow[] = [],
  ) {
    const within = besides.components.length > 0 ? copies : []
    const parts = within.map((copy) => partRows(copy.body.parts, ownerOf(copy)))
    await insertParts(
      trx,
      parts.flatMap(({ found }) => found),
    )
    await insertLinks(trx, [...links, ...parts.flatMap((each) => each.links)])
    await insertTags(trx, [...tags, ...parts.flatMap((each) => each.tags)])
  }

  function cellsOfCopy(copy: Copy): ColumnValue[] {
    return cellsOf(type, copy.body, systemOf(copy))
  }

  /** Brings a stored copy from what it was to what it is now, touching only what differs. */
  async function save(trx: Trx, was: Copy, now: Copy) {
    await updateRow(trx, type.table, { names, cells: [cellsOfCopy(now)] }, key(now.copyNo))
    const owner = { copyNo: now.copyNo, partId: 0, known: was.known, revision: now.revisionId }
    if (!hasSameLinks(was.body.links, now.body.links)) {
      await deleteLinks(trx, now.copyNo, 'entry')
      await insertLinks(trx, linkRows(now.body.links, owner))
    }
    if (!hasSameTags(was.body, now.body)) {
      await deleteTags(trx, now.copyNo, 'entry')
      await insertTags(trx, tagRows(type, now.body, owner))
    }
    if (hasSameParts(was.body.parts, now.body.parts)) return
    await deleteParts(trx, besides.components, [now.copyNo])
    await deleteLinks(trx, now.copyNo, 'parts')
    await deleteTags(trx, now.copyNo, 'parts')
    await insertBesides(trx, [{ ...now, known: was.known }])
  }

  function hasSameTags({ values: before }: Body, { values: after }: Body): boolean {
    return tagAttributes(type).every(({ no }) => isSameJson(before.get(no), after.get(no)))
  }

  async function setFlags(trx: Trx, copyNo: number, flags: { live: boolean; work: boolean }) {
    const cells = [[flags.live ? 1 : 0, flags.work ? 1 : 0]]
    await updateRow(trx, type.table, { names: ['live', 'work'], cells }, key(copyNo))
  }

  /**
   * A live copy that was also the working copy keeps the live side; the new number is its working
   * copy with the same values, links, tags and components, copied inside the database.
   */
  async function split(trx: Trx, from: number, to: number) {
    const kept = sql.join(
      [...SYSTEM.filter((name) => !CHANGED_BY_SPLIT.has(name)), ...bodyColumns(type)].map((name) =>
        sql.ref(name),
      ),
    )
    await setFlags(trx, from, { live: true, work: false })
    await sql`
      insert into ${sql.table(type.table)} (copy_no, live, work, ${kept})
      select ${to}, 0, 1, ${kept} from ${sql.table(type.table)} where copy_no = ${from}
    `.execute(trx)
    if (besides.links) await copyRows(trx, 'content_links', LINK_COLUMNS, from, to)
    if (besides.tags) await copyRows(trx, 'content_tags', TAG_COLUMNS, from, to)
    for (const component of besides.components) {
      const columns = [...PART_COLUMNS, ...bodyColumns(component)]
      await copyRows(trx, component.table, columns, from, to)
    }
  }

  async function remove(trx: Trx, copyNos: readonly number[]) {
    await inChunks(copyNos, async (chunk) => {
      const nos = sql.join(chunk)
      await sql`delete from ${sql.table(type.table)} where copy_no in (${nos})`.execute(trx)
      if (besides.links) {
        await trx.deleteFrom('content_links').where('owner_copy', 'in', chunk).execute()
      }
      if (besides.tags) {
        await trx.deleteFrom('content_tags').where('owner_copy', 'in', chunk).execute()
      }
    })
    await deleteParts(trx, besides.components, copyNos)
  }
}

export type Copies = ReturnType<typeof createCopies>

const CHANGED_BY_SPLIT: ReadonlySet<string> = new Set(['copy_no', 'live', 'work'])
const LINK_COLUMNS = ['attribute_no', 'owner_part', 'position', 'target', 'target_position']
const TAG_COLUMNS = ['attribute_no', 'owner_part', 'position', 'value', 'fold']
const PART_COLUMNS = ['attribute_no', 'parent_part', 'position', 'part_id']

async function copyRows(
  trx: Trx,
  table: string,
  columns: readonly string[],
  from: number,
  to: number,
) {
  const names = sql.join(columns.map((name) => sql.ref(name)))
  await sql`
    insert into ${sql.table(table)} (owner_copy, ${names})
    select ${to}, ${names} from ${sql.table(table)} where owner_copy = ${from}
  `.execute(trx)
}

function ownerOf({ copyNo, known, revisionId }: Copy) {
  return { copyNo, partId: 0, known, revision: revisionId }
}

type OwnRow = Pick<Stored, 'hidden'> & {
  readonly [Name in (typeof SYSTEM)[number] as `own_${Name}`]: Stored[Name]
}

function toSystem(row: OwnRow) {
  return {
    copyNo: row.own_copy_no,
    entryNo: row.own_entry_no,
    id: row.own_id,
    documentId: row.own_document_id,
    locale: row.own_locale,
    live: row.own_live === 1,
    work: row.own_work === 1,
    revisionId: row.own_revision_id,
    createdAtMs: row.own_created_at,
    updatedAtMs: row.own_updated_at,
    publishedAtMs: row.own_published_at,
  }
}

/** In the order of `SYSTEM`. */
function systemOf(copy: Copy): ColumnValue[] {
  return [
    copy.copyNo,
    copy.entryNo,
    copy.id,
    copy.documentId,
    copy.locale,
    copy.live ? 1 : 0,
    copy.work ? 1 : 0,
    copy.revisionId,
    copy.createdAtMs,
    copy.updatedAtMs,
    copy.publishedAtMs,
  ]
}
