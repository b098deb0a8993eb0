import type { Area } from '../../area.ts'
import { icons } from '../../parts/icons.tsx'

export const welcome: Area = {
  id: 'welcome',
  label: 'First steps',
  icon: icons.flag,
  path: '/welcome',
  level: 'admin',
  screens: [{ path: '/welcome', load: () => import('./first-steps.tsx') }],
}
