import type { Area } from '../../area.ts'
import { icons } from '../../parts/icons.tsx'

export const reference: Area = {
  id: 'api',
  label: 'API',
  icon: icons.code,
  path: '/api',
  level: 'write',
  screens: [{ path: '/api', load: () => import('./requests.tsx') }],
}
