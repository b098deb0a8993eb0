import type { Kysely } from 'kysely'
import type { SecretBox } from '#secrets'
import { HEADERS, parseStored } from './codec.ts'
import { PROXIES } from './store/pools.ts'
import type { ScrapersTables } from './tables.ts'

type Db = Kysely<ScrapersTables>

/** Seals with the current master key what the previous one sealed; answers how many texts. */
export async function resealScrapers(writer: Db, box: SecretBox): Promise<number> {
  const changes = [
    ...(await ofScrapers(writer, box)),
    ...(await ofRuns(writer, box)),
    ...(await ofPools(writer, box)),
  ]
  for (const change of changes) await change()
  return changes.length
}

type Change = () => Promise<unknown>

/** Nothing is changed that somebody else has changed since it was read. */
async function ofScrapers(writer: Db, box: SecretBox): Promise<Change[]> {
  const rows = await writer.selectFrom('scrapers_scrapers').select(['id', 'definition']).execute()
  return rows.flatMap(({ id, definition: before }) => {
    const definition = resealed(before, box)
    if (definition === before) return []
    const update = writer.updateTable('scrapers_scrapers').set({ definition })
    return [() => update.where('id', '=', id).where('definition', '=', before).execute()]
  })
}

async function ofRuns(writer: Db, box: SecretBox): Promise<Change[]> {
  const rows = await writer.selectFrom('scrapers_runs').select(['id', 'config']).execute()
  return rows.flatMap(({ id, config: before }) => {
    const config = resealed(before, box)
    if (config === before) return []
    return [
      () => writer.updateTable('scrapers_runs').set({ config }).where('id', '=', id).execute(),
    ]
  })
}

async function ofPools(writer: Db, box: SecretBox): Promise<Change[]> {
  const rows = await writer.selectFrom('scrapers_pools').select(['id', 'proxies']).execute()
  return rows.flatMap(({ id, proxies: before }) => {
    if (!box.needsReseal(before)) return []
    const proxies = box.seal(box.open(before, PROXIES), PROXIES)
    const update = writer.updateTable('scrapers_pools').set({ proxies })
    return [() => update.where('id', '=', id).where('proxies', '=', before).execute()]
  })
}

function resealed(text: string, box: SecretBox): string {
  const stored = parseStored(text)
  const { headers } = stored
  if (typeof headers !== 'string' || !box.needsReseal(headers)) return text
  return JSON.stringify({ ...stored, headers: box.seal(box.open(headers, HEADERS), HEADERS) })
}
