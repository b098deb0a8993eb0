import { type Kysely, sql } from 'kysely'
import { DomainError } from '#kernel'
import { discardDraft } from '../entries/discard.ts'
import { type Loaded, load } from '../entries/load.ts'
import { remove } from '../entries/remove.ts'
import { statusOf } from '../entries/render.ts'
import { createRunner, type Writing, type WritingDeps } from '../entries/writing.ts'
import type { ContentType } from '../model.ts'
import { SYSTEM } from '../system.ts'
import type { ContentTables } from '../tables.ts'
import type { DesignedType } from './design.ts'

type Db = Kysely<ContentTables>
type Tx = Parameters<WritingDeps['appendEvents']>[0]

/** What a type may not have after its change. */
export interface Losses {
  /** Variants beside the one that stays: that of the default locale, else the oldest. */
  readonly variants: boolean
  /** Entries that were never published, and working copies newer than what is live. */
  readonly drafts: boolean
}

export function lossesOf({ before, definition }: DesignedType): Losses {
  const was = before?.definition
  return {
    variants: was?.localized === true && !definition.localized,
    drafts: was?.draftAndPublish === true && !definition.draftAndPublish,
  }
}

const AT_ONCE = 8
const IDS_PER_LOOK = 2_000

/**
 * Removes what a change of a type has no room for, each entry by the write that a caller would make, so
 * that it is told, versions rise and subtrees follow.
 */
export function createLostEntries(deps: WritingDeps) {
  const reader: Kysely<ContentTables> = deps.db.main.reader
  const { run } = createRunner(deps)
  return { removeAll, removeDrafts, removeVariants }

  /** All that are found, a few at a time; others may write meanwhile. */
  async function removeAll(typeNo: number, losses: Losses, defaultLocale: string) {
    if (losses.drafts) {
      for (let ids = [0]; ids.length > 0; ) {
        ids = await findUnpublished(reader, typeNo, AT_ONCE)
        await Promise.all(ids.map((id) => settleDraft(typeNo, id)))
      }
    }
    if (!losses.variants) return
    const last = await lastId(reader, typeNo)
    for (let from = 0; from <= last; from += IDS_PER_LOOK) {
      const within = sql`e.id > ${from} and e.id <= ${from + IDS_PER_LOOK}`
      const ids = await findSurplus(reader, typeNo, defaultLocale, within)
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const some = ids.slice(at, at + AT_ONCE)
        await Promise.all(some.map((id) => settleVariant(typeNo, id, defaultLocale)))
      }
    }
  }

  /** Those that came since, in the transaction of the change. */
  async function removeDrafts(tx: Tx, typeNo: number, { drafts }: Losses) {
    if (!drafts) return
    const trx = tx.as<ContentTables>()
    for (let ids = [0]; ids.length > 0; ) {
      ids = await findUnpublished(trx, typeNo, AT_ONCE)
      for (const id of ids) await settleDraft(typeNo, id, tx)
    }
  }

  /** The same; `copies`: those saved since, or all. */
  async function removeVariants(
    tx: Tx,
    typeNo: number,
    losses: Losses,
    { defaultLocale, copies }: { defaultLocale: string; copies: readonly number[] },
  ) {
    const trx = tx.as<ContentTables>()
    if (!losses.variants || copies.length === 0) return
    const own = sql`e.document_id in (select document_id from ${sql.table(`content_v${typeNo}`)}
      where copy_no in (${sql.join(copies)}))`
    const ids = await findSurplus(trx, typeNo, defaultLocale, own)
    for (const id of ids) await settleVariant(typeNo, id, defaultLocale, tx)
  }

  function settleDraft(typeNo: number, id: number, tx?: Tx) {
    return settle(typeNo, id, tx, async (writing, loaded) => {
      const status = statusOf(loaded.entry)
      if (status === 'draft') await remove(writing, loaded, false)
      if (status === 'changed') await discardDraft(writing, loaded)
    })
  }

  function settleVariant(typeNo: number, id: number, defaultLocale: string, tx?: Tx) {
    return settle(typeNo, id, tx, async (writing, loaded) => {
      const rank = (row: Loaded['entry']) => (row.locale === defaultLocale ? 0 : 1)
      const [first] = loaded.variants.toSorted((a, b) => rank(a) - rank(b) || a.id - b.id)
      if (first?.no !== loaded.entry.no) await remove(writing, loaded, false)
    })
  }

  /** As it is when its turn comes: somebody may have removed or published it since it was found. */
  async function settle(
    typeNo: number,
    id: number,
    tx: Tx | undefined,
    work: (writing: Writing, loaded: Loaded) => Promise<void>,
  ) {
    const type = deps.model().typeByNo(typeNo)
    if (!type) return
    try {
      await run(SYSTEM, type, { tx }, async (writing) => {
        await work(writing, await load(writing, { id }, undefined))
        return () => undefined
      })
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'not_found') throw error
    }
  }
}

export type LostEntries = ReturnType<typeof createLostEntries>

async function findUnpublished(db: Db, typeNo: ContentType['no'], limit: number) {
  const { rows } = await sql<{ id: number }>`select id from content_entries
    where type_no = ${typeNo} and (has_live = 0 or changed = 1)
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

async function lastId(db: Db, typeNo: number): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`
    select max(id) as last from content_entries where type_no = ${typeNo}`.execute(db)
  return rows[0]?.last ?? 0
}

async function findSurplus(
  db: Db,
  typeNo: number,
  defaultLocale: string,
  chosen: ReturnType<typeof sql>,
): Promise<number[]> {
  const rank = (name: string) =>
    sql`(case when ${sql.ref(`${name}.locale`)} = ${defaultLocale} then 0 else 1 end)`
  const { rows } = await sql<{ id: number }>`
    select e.id from content_entries e where e.type_no = ${typeNo} and ${chosen} and exists (
      select 1 from content_entries k
      where k.document_id = e.document_id and k.no <> e.no
        and (${rank('k')} < ${rank('e')} or (${rank('k')} = ${rank('e')} and k.id < e.id)))
    order by e.id`.execute(db)
  return rows.map(({ id }) => id)
}
