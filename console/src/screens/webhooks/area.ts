import type { Area } from '../../area.ts'
import { icons } from '../../parts/icons.tsx'

export const webhooks: Area = {
  id: 'webhooks',
  label: 'Webhooks',
  icon: icons.webhook,
  path: '/webhooks',
  level: 'read',
  screens: [
    { path: '/webhooks', load: () => import('./subscriptions.tsx') },
    { path: '/webhooks/event-types', load: () => import('./event-types.tsx') },
    { path: '/webhooks/live', load: () => import('./live.tsx') },
    { path: '/webhooks/$id', load: () => import('./subscription.tsx') },
    { path: '/webhooks/$id/$delivery', load: () => import('./delivery.tsx') },
  ],
}
