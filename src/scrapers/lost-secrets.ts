import type { Tx } from '#db'
import { isLost, type LostSecret, type SecretBox } from '#secrets'
import { HEADERS, parseStored } from './codec.ts'
import { PROXIES } from './store/pools.ts'
import type { ScrapersTables } from './tables.ts'

/** Headers of scrapers and addresses of proxies that no master key opens are emptied. */
export async function resetScraperSecrets(
  tx: Tx,
  { box }: { readonly box: SecretBox },
): Promise<LostSecret[]> {
  const trx = tx.as<ScrapersTables>()
  const scrapers = await trx
    .selectFrom('scrapers_scrapers')
    .select(['id', 'name', 'definition'])
    .execute()
  const lost = scrapers.filter(({ definition }) => hasLostHeaders(box, definition))
  for (const { id, definition } of lost) {
    const emptied = withoutHeaders(definition)
    await trx
      .updateTable('scrapers_scrapers')
      .set({ definition: emptied })
      .where('id', '=', id)
      .execute()
  }
  await emptyRuns(tx, box)
  return [
    ...lost.map(
      ({ id, name }): LostSecret => ({
        of: `the headers of the scraper ${id} (${name})`,
        fate: 'removed',
        next: `enter them again: PATCH /api/v1/scrapers/${id}`,
      }),
    ),
    ...(await emptyPools(tx, box)),
  ]
}

async function emptyRuns(tx: Tx, box: SecretBox) {
  const trx = tx.as<ScrapersTables>()
  const runs = await trx.selectFrom('scrapers_runs').select(['id', 'config']).execute()
  for (const { id, config } of runs.filter((run) => hasLostHeaders(box, run.config))) {
    await trx
      .updateTable('scrapers_runs')
      .set({ config: withoutHeaders(config) })
      .where('id', '=', id)
      .execute()
  }
}

async function emptyPools(tx: Tx, box: SecretBox): Promise<LostSecret[]> {
  const trx = tx.as<ScrapersTables>()
  const pools = await trx.selectFrom('scrapers_pools').select(['id', 'name', 'proxies']).execute()
  const lost = pools.filter(({ proxies }) => isLost(box, proxies, PROXIES))
  for (const { id } of lost) {
    const proxies = box.seal('[]', PROXIES)
    await trx.updateTable('scrapers_pools').set({ proxies }).where('id', '=', id).execute()
  }
  return lost.map(({ name }) => ({
    of: `the proxies of the pool ${name}`,
    fate: 'removed',
    next: `enter them again: PATCH /api/v1/proxy-pools/${name}`,
  }))
}

function hasLostHeaders(box: SecretBox, text: string): boolean {
  const { headers } = parseStored(text)
  return typeof headers === 'string' && isLost(box, headers, HEADERS)
}

function withoutHeaders(text: string): string {
  return JSON.stringify({ ...parseStored(text), headers: null })
}
