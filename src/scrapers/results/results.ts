import type { Kysely } from 'kysely'
import type { Database } from '#db'
import { badParameter, type FoundPage, type ListQuery } from '#paging'
import type { Item, Run, Scraper } from '../records.ts'
import type { Runs } from '../runs.ts'
import { findItems, findItemsAfter, type ItemFilter } from '../store/items.ts'
import type { ScrapersTables } from '../tables.ts'

interface Deps {
  readonly db: Database
  readonly runs: Pick<Runs, 'latest' | 'get'>
}

const READ_AT_ONCE = 500

/** The items of a scraper's runs (scrapers contract §5). */
export function createResults({ db, runs }: Deps) {
  const reader: Kysely<ScrapersTables> = db.main.reader
  return { runOf, page, all }

  /** Which run is meant: null for all of them, undefined when there is none yet. */
  async function runOf(
    scraper: Scraper,
    text: string | undefined,
  ): Promise<Run | null | undefined> {
    if (text === 'all') return null
    if (text === undefined || text === 'latest') return runs.latest(scraper)
    if (!/^\d+$/.test(text)) throw badParameter('run_id', 'must be latest, all or a number')
    return runs.get(scraper, Number(text))
  }

  function page(filter: ItemFilter, list: ListQuery<'id'>): Promise<FoundPage<Item>> {
    return findItems(reader, filter, list)
  }

  /**
   * All of them as they are now, in small steps and however often they are read; what is added
   * meanwhile is left out.
   */
  async function all(
    filter: ItemFilter,
    { afterId: fromId, order }: Pick<Parameters<typeof findItemsAfter>[2], 'afterId' | 'order'>,
  ): Promise<() => AsyncGenerator<Item>> {
    const last = { afterId: null, order: 'desc', limit: 1 } as const
    const [newest] = await findItemsAfter(reader, filter, last)
    const newestId = newest?.id ?? 0
    return read

    async function* read(): AsyncGenerator<Item> {
      let afterId = fromId
      for (;;) {
        const range = { afterId, order, limit: READ_AT_ONCE }
        const items: Item[] = await findItemsAfter(reader, filter, range)
        for (const item of items) if (item.id <= newestId) yield item
        const last = items.at(-1)
        if (!last || items.length < READ_AT_ONCE || (order === 'asc' && last.id >= newestId)) return
        afterId = last.id
      }
    }
  }
}

export type Results = ReturnType<typeof createResults>
