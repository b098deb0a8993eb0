import type { Area } from '../../area.ts'
import { icons } from '../../parts/icons.tsx'

export const types: Area = {
  id: 'types',
  label: 'Types',
  icon: icons.types,
  path: '/types',
  level: 'admin',
  screens: [
    { path: '/types', load: () => import('./all-definitions.tsx') },
    { path: '/types/graph', load: () => import('./graph.tsx') },
    { path: '/types/new', load: () => import('./new-type.tsx') },
    { path: '/types/components/new', load: () => import('./new-component.tsx') },
    { path: '/types/components/$name', load: () => import('./edit-component.tsx') },
    { path: '/types/$name', load: () => import('./edit-type.tsx') },
  ],
}
