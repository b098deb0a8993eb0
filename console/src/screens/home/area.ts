import type { Area } from '../../area.ts'
import { icons } from '../../parts/icons.tsx'

export const home: Area = {
  id: 'home',
  label: 'Home',
  icon: icons.home,
  path: '/home',
  level: 'admin',
  screens: [{ path: '/home', load: () => import('./home.tsx') }],
}
