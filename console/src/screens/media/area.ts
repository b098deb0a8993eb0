import { listMedia } from '../../api/media.ts'
import type { Area, Found } from '../../area.ts'
import { icons } from '../../parts/icons.tsx'

const MOST = 5

export const media: Area = {
  id: 'media',
  label: 'Media',
  icon: icons.media,
  path: '/media',
  level: 'write',
  screens: [
    { path: '/media', load: () => import('./library.tsx') },
    { path: '/media/$id', load: () => import('./file.tsx') },
  ],
  find,
}

async function find(q: string): Promise<readonly Found[]> {
  const { data } = await listMedia({ q })
  return data.slice(0, MOST).map(({ id, name, mime }) => ({
    id: String(id),
    label: name,
    note: mime,
    to: `/media/${id}`,
  }))
}
