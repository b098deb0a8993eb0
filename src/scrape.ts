/** `entrepot scrape`: one run on a database of its own, which is gone when the run is over. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '#config'
import { random } from '#kernel'
import { type Collecting, checkAlone, openAlone as openScraping } from '#scrapers-once'
import { chromiumOf, openAlone, version } from './platform.ts'

export type { Collecting, Progress } from '#scrapers-once'

export interface Scrape extends Collecting {
  /** Ends the run if it is not over, and removes its database. */
  close(): Promise<void>
}

/** Checks the definition, then starts its run. However the process ends, its database is removed. */
export async function startScrape(
  config: Config,
  definition: Readonly<Record<string, unknown>>,
): Promise<Scrape> {
  checkAlone(definition)
  const directory = mkdtempSync(join(tmpdir(), 'entrepot-scrape-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  process.once('exit', remove)
  const stops: (() => unknown)[] = [() => process.off('exit', remove), remove]
  try {
    const { databaseUrl: _, ...rest } = config
    const platform = await openAlone({
      ...{ ...rest, dataDir: directory },
      storage: { ...config.storage, readers: 1 },
      log: { to: 'file', level: 'error' },
    })
    stops.push(platform.stop)
    const { database: db, ids } = platform
    const scraping = openScraping({
      ...{ ...platform, db, random, owner: ids.uuid(), version, publicUrl: config.publicUrl },
      isDevelopment: config.env === 'development',
      allowNets: config.scrapers.allowNets,
      chromium: chromiumOf(config),
      renderedPages: config.scrapers.renderedPages,
    })
    stops.push(scraping.stop)
    return { ...(await scraping.start(await scraping.create(definition))), close }
  } catch (error) {
    await close()
    throw error
  }

  async function close() {
    for (const each of stops.splice(0).reverse()) await each()
  }
}
