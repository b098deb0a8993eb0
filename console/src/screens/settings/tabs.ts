export const TABS = [
  { path: '/settings', label: 'Settings' },
  { path: '/settings/languages', label: 'Languages' },
  { path: '/settings/clients', label: 'OAuth clients' },
  { path: '/settings/backups', label: 'Backups' },
  { path: '/settings/log', label: 'Log' },
]
