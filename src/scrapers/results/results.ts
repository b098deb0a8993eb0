import type { Kysely } from 'kysely'
import type { Database } from '#db'
import { badParameter, type FoundPage, type ListQuery } from '#paging'
import type { Item, Run, Scraper } from '../records.ts'
import type { Runs } from '../runs.ts'
import { findItems, findItemsAfter, type ItemFilter } from '../store/items.ts'
import type { ScrapersTables } from '../tables.ts'

interface Deps {
  readonly db: Database
  readonly runs: Runs
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

  /** All of them as they are now, in small steps; what is added meanwhile is left out. */
  async function* all(
    filter: ItemFilter,
    from: { readonly afterId: number | null; readonly order: 'asc' | 'desc' },
  ): AsyncGenerator<Item> {
    const [newest] = await findItemsAfter(reader, filter, {
      afterId: null,
      order: 'desc',
      limit: 1,
    })
    let { afterId } = from
    for (;;) {
      const items = await findItemsAfter(reader, filter, {
        ...{ afterId, order: from.order, limit: READ_AT_ONCE },
      })
      for (const item of items) if (newest && item.id <= newest.id) yield item
      const last = items.at(-1)
      if (!last || items.length < READ_AT_ONCE || (newest && last.id > newest.id)) return
      afterId = last.id
    }
  }
}

export type Results = ReturnType<typeof createResults>
