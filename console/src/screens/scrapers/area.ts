import { send } from '../../api/client.ts'
import type { ListPage } from '../../api/lists.ts'
import type { Area, Found } from '../../area.ts'
import { icons } from '../../parts/icons.tsx'
import { SCRAPERS, type Scraper } from './records.ts'

export const scrapers: Area = {
  id: 'scrapers',
  label: 'Scrapers',
  icon: icons.spider,
  path: '/scrapers',
  level: 'write',
  screens: [
    { path: '/scrapers', load: () => import('./scrapers.tsx') },
    { path: '/scrapers/$id', load: () => import('./scraper.tsx') },
    { path: '/scrapers/$id/edit', load: () => import('./edit.tsx') },
    { path: '/scrapers/$id/runs/$run', load: () => import('./run.tsx') },
  ],
  find,
}

async function find(text: string): Promise<readonly Found[]> {
  const { body } = await send<ListPage<Scraper>>(SCRAPERS, { query: { per_page: 100 } })
  return body.data
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .slice(0, 5)
    .map(({ id, name }) => ({
      id: `scraper ${id}`,
      label: name,
      note: 'Scraper',
      to: `/scrapers/${id}`,
    }))
}
