import type { Area } from '../../area.ts'
import { icons } from '../../parts/icons.tsx'

export const settings: Area = {
  id: 'settings',
  label: 'Settings',
  icon: icons.cog,
  path: '/settings',
  level: 'admin',
  screens: [
    { path: '/settings', load: () => import('./settings.tsx') },
    { path: '/settings/languages', load: () => import('./languages.tsx') },
    { path: '/settings/clients', load: () => import('./clients.tsx') },
    { path: '/settings/backups', load: () => import('./backups.tsx') },
    { path: '/settings/log', load: () => import('./log.tsx') },
  ],
}
