import type { Kysely, Transaction } from 'kysely'
import type { ScrapersTables } from '../tables.ts'

/** A file that a scraper has taken over, with what its server said of its version. */
export interface KnownFile {
  readonly urlHash: string
  readonly fileId: number
  readonly etag: string | null
  readonly lastModified: string | null
  readonly digest: string
}

export async function findFile(
  db: Kysely<ScrapersTables>,
  scraperId: number,
  urlHash: string,
): Promise<KnownFile | undefined> {
  const row = await db
    .selectFrom('scrapers_files')
    .selectAll()
    .where('scraper_id', '=', scraperId)
    .where('url_hash', '=', urlHash)
    .executeTakeFirst()
  return (
    row && {
      urlHash,
      fileId: Number(row.file_id),
      etag: row.etag,
      lastModified: row.last_modified,
      digest: row.digest,
    }
  )
}

export async function saveFile(
  db: Transaction<ScrapersTables>,
  scraperId: number,
  { urlHash, fileId, etag, lastModified, digest }: KnownFile,
): Promise<void> {
  const values = { file_id: fileId, etag, last_modified: lastModified, digest }
  await db
    .insertInto('scrapers_files')
    .values({ scraper_id: scraperId, url_hash: urlHash, ...values })
    .onConflict((conflict) => conflict.columns(['scraper_id', 'url_hash']).doUpdateSet(values))
    .execute()
}
