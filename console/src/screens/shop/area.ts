import type { Area } from '../../area.ts'
import { icons } from '../../parts/icons.tsx'

export const shop: Area = {
  id: 'shop',
  label: 'Products and orders',
  icon: icons.box,
  path: '/shop',
  level: 'write',
  screens: [
    { path: '/shop', load: () => import('./products.tsx') },
    { path: '/shop/orders', load: () => import('./orders.tsx') },
  ],
}
