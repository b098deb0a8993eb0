import { send } from '../../api/client.ts'
import type { Area, Found } from '../../area.ts'
import { icons } from '../../parts/icons.tsx'
import { ADMIN, KINDS, type ObjectPage } from './records.ts'

export const gateway: Area = {
  id: 'gateway',
  label: 'Gateway',
  icon: icons.gateway,
  path: '/gateway',
  level: 'admin',
  screens: [
    { path: '/gateway', load: () => import('./objects.tsx') },
    { path: '/gateway/explain', load: () => import('./explain.tsx') },
    { path: '/gateway/history', load: () => import('./history.tsx') },
    { path: '/gateway/$kind', load: () => import('./objects.tsx') },
    { path: '/gateway/$kind/$id', load: () => import('./object.tsx') },
  ],
  find,
}

async function find(text: string): Promise<readonly Found[]> {
  const { body } = await send<ObjectPage>(`${ADMIN}/routes`)
  const wanted = text.toLowerCase()
  return body.list
    .filter(({ value }) =>
      JSON.stringify([value.id, value.name, value.uri]).toLowerCase().includes(wanted),
    )
    .slice(0, 5)
    .map(({ value }) => ({
      id: `route ${value.id}`,
      label: String(value.name ?? value.uri ?? value.id),
      note: KINDS.routes.one,
      to: `/gateway/routes/${value.id}`,
    }))
}
