import type { Kysely, Transaction } from 'kysely'
import type { WriteStep } from '#db'
import type { PublishedEntry } from '../records.ts'
import type { ScrapersTables } from '../tables.ts'

type Db = Kysely<ScrapersTables>
type Trx = Transaction<ScrapersTables>

/** What a scraper has written to an entry. */
export interface KnownEntry extends PublishedEntry {
  readonly keyHash: string
  readonly locale: string | null
  readonly valuesHash: string
  /** A hash of each attribute as the entry had it after the scraper's last write. */
  readonly written: Readonly<Record<string, string>>
  /** Unpublished or deleted because a run did not see it. */
  readonly isGone: boolean
  /** The last run that saw it. */
  readonly runId: number
}

export async function findKnown(
  db: Db,
  scraperId: number,
  keyHashes: readonly string[],
): Promise<Map<string, KnownEntry>> {
  if (keyHashes.length === 0) return new Map()
  const rows = await db
    .selectFrom('scrapers_entries')
    .selectAll()
    .where('scraper_id', '=', scraperId)
    .where('key_hash', 'in', keyHashes)
    .execute()
  return new Map(rows.map((row) => [row.key_hash, toKnown(row)]))
}

export async function saveKnown(db: Trx, scraperId: number, entry: KnownEntry): Promise<void> {
  const values = {
    type: entry.type,
    document_id: entry.documentId,
    entry_id: entry.id,
    locale: entry.locale,
    run_id: entry.runId,
    values_hash: entry.valuesHash,
    written: JSON.stringify(entry.written),
    is_gone: entry.isGone ? 1 : 0,
  }
  await db
    .insertInto('scrapers_entries')
    .values({ scraper_id: scraperId, key_hash: entry.keyHash, ...values })
    .onConflict((conflict) => conflict.columns(['scraper_id', 'key_hash']).doUpdateSet(values))
    .execute()
}

export function seenSteps(
  db: Db,
  scraperId: number,
  runId: number,
  keyHashes: readonly string[],
): WriteStep[] {
  if (keyHashes.length === 0) return []
  const query = db
    .updateTable('scrapers_entries')
    .set({ run_id: runId })
    .where('scraper_id', '=', scraperId)
    .where('key_hash', 'in', keyHashes)
  return [{ query }]
}

/** Entries that the run did not see and nobody has taken away yet. */
export async function findUnseen(
  db: Db,
  scraperId: number,
  runId: number,
  limit: number,
): Promise<KnownEntry[]> {
  const rows = await db
    .selectFrom('scrapers_entries')
    .selectAll()
    .where('scraper_id', '=', scraperId)
    .where('run_id', '<', runId)
    .where('is_gone', '=', 0)
    .orderBy('key_hash')
    .limit(limit)
    .execute()
  return rows.map(toKnown)
}

export async function markGone(db: Db, scraperId: number, keyHash: string): Promise<void> {
  await db
    .updateTable('scrapers_entries')
    .set({ is_gone: 1 })
    .where('scraper_id', '=', scraperId)
    .where('key_hash', '=', keyHash)
    .execute()
}

interface Row {
  readonly key_hash: string
  readonly type: string
  readonly document_id: string
  readonly entry_id: number
  readonly locale: string | null
  readonly values_hash: string
  readonly written: string
  readonly is_gone: number
  readonly run_id: number
}

function toKnown(row: Row): KnownEntry {
  const written: Record<string, string> = JSON.parse(row.written)
  return {
    keyHash: row.key_hash,
    type: row.type,
    documentId: row.document_id,
    id: row.entry_id,
    locale: row.locale,
    valuesHash: row.values_hash,
    written,
    isGone: row.is_gone === 1,
    runId: row.run_id,
  }
}
